"""The models of pages, trained from pages whose main content others marked."""
