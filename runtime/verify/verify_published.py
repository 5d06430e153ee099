"""All checks of a build in a store, as `factmill verify` runs them."""

from __future__ import annotations

from factmill.runtime.opening import open_build
from factmill.runtime.readers_lock import holding
from factmill.runtime.verify.verify_build import verify_build
from factmill.runtime.verify.verify_queries import query_faults
from factmill.schemas.errors import CorruptStore, FactmillError, MissingExtra, OptionError
from factmill.schemas.layout import Store
from factmill.schemas.manifest import read_manifest


def verify(store: Store, build_id: str | None = None) -> tuple[str, list[str]]:
    """The id of a build, by default the published one, and all its faults. Raises StoreError when
    there is no manifest to check it by, OptionError when there is no such build.
    """
    try:
        build = store.build(build_id) if build_id else store.published()
    except CorruptStore as error:
        raise OptionError(f"--build {build_id}: not a build id") if build_id else error from None
    if not build.root.is_dir():
        raise OptionError(f"--build {build_id}: no such build in {store.root}")
    with holding(build):
        manifest = read_manifest(build)
        faults = verify_build(build, manifest)
        if manifest.build_id != build.build_id:
            faults.append(f"manifest.json: of the build {manifest.build_id}")
        if not faults:
            try:
                faults += query_faults(open_build(build))
            except MissingExtra:
                raise
            except FactmillError as error:
                faults.append(str(error))
    return build.build_id, faults
