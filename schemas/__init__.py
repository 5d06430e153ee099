"""What factmill stores: records, Arrow schemas, ids, the manifest and the errors.

Imports pyarrow and the standard library, nothing else of factmill.
"""
