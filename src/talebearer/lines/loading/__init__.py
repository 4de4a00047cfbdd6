"""Reading a pack: its JSON, checked, becomes pools with their indexes."""

from talebearer.lines.loading._load import PACK_FORMAT, PACK_VERSION, PackShelf, load_pack

__all__ = ["PACK_FORMAT", "PACK_VERSION", "PackShelf", "load_pack"]
