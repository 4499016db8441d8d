#!/usr/bin/env python3
"""Makes images of disks for images.sh from images of file systems.

    images.py tables FOLDER    from fat.img and ext.img: mbr.img, gpt.img and others with tables of partitions
    images.py alarms FOLDER    files that look like images at first sight
"""
import os, struct, sys, zlib

SECTOR = 512


def entry(kind, start, count):
    return struct.pack("<B3sB3sII", 0, b"\0\2\0", kind, b"\xfe\xff\xff", start, count)


def table(entries):
    return b"".join(entries).rjust(446 + 16 * len(entries), b"\0").ljust(510, b"\0") + b"\x55\xaa"


def placed(pieces):
    """The bytes of a disk with these pieces at their sectors."""
    disk = bytearray(max(at * SECTOR + len(data) for at, data in pieces))
    for at, data in pieces:
        disk[at * SECTOR:at * SECTOR + len(data)] = data
    return bytes(disk)


def mbr(primary, logical, loops=False):
    """Partitions with a kind and bytes. Each logical one has its own table, which names the next table."""
    at, entries, pieces = 2048, [], []
    for kind, data in primary:
        entries.append(entry(kind, at, len(data) // SECTOR))
        pieces.append((at, data))
        at += len(data) // SECTOR
    extended = at
    for number, (kind, data) in enumerate(logical):
        count = len(data) // SECTOR
        following = 0 if loops else at + 64 + count - extended
        own = [entry(kind, 64, count)]
        if number + 1 < len(logical):
            own.append(entry(5, following, 64 + len(logical[number + 1][1]) // SECTOR))
        pieces += [(at, table(own)), (at + 64, data)]
        at += 64 + count
    if logical:
        entries.append(entry(5, extended, at - extended))
    return placed([(0, table(entries)), *pieces])


def gpt(partitions, count=128):
    """Partitions by the number of their entry."""
    at, entries, pieces = 64, bytearray(128 * 128), []
    for number, data in partitions:
        place = struct.pack("<QQQ", at, at + len(data) // SECTOR - 1, 0)
        entries[(number - 1) * 128:number * 128] = (b"type".ljust(16, b"t") + b"u" * 16 + place).ljust(128, b"\0")
        pieces.append((at, data))
        at += len(data) // SECTOR
    header = struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, 0, 0, 1, at, 34, at - 1, b"disk".ljust(16, b"d"), 2,
                         count, 128, zlib.crc32(entries))
    header = header[:16] + struct.pack("<I", zlib.crc32(header)) + header[20:]
    return placed([(0, table([entry(0xee, 1, at)])), (1, header), (2, bytes(entries)), *pieces, (at, b"\0" * SECTOR)])


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def write(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def make_tables(folder):
    fat, ext = read(folder, "fat.img"), read(folder, "ext.img")
    write(folder, "mbr.img", mbr([(0xc, fat), (0x83, ext)], [(6, fat), (0x83, ext)]))
    write(folder, "gpt.img", gpt([(1, ext), (5, fat)]))
    write(folder, "loop.img", mbr([(0x83, ext)], [(6, fat), (0x83, ext)], loops=True))
    write(folder, "long.img", gpt([(1, ext)], count=0xffffffff))
    write(folder, "other.img", gpt([(1, ext), (2, b"another file system".ljust(65536, b"x"))]))
    write(folder, "locked.img", gpt([(1, ext), (2, b"LUKS\xba\xbe".ljust(65536, b"x"))]))
    write(folder, "cut.img", ext[:len(ext) // 2])
    write(folder, "beyond.img", mbr([(0x83, ext)], [])[:3 << 20])


def make_alarms(folder):
    fat, ext = read(folder, "fat.img"), read(folder, "ext.img")
    code = bytes(number * 7 % 251 for number in range(510)) + b"\x55\xaa"
    write(folder, "boot.bin", fat[:512])
    write(folder, "boots.bin", fat[:512] + b"text" * 1000)
    write(folder, "code.com", code + code * 20)
    write(folder, "loader.bin", code[:446] + bytes(64) + b"\x55\xaa" + code * 20)
    write(folder, "table.bin", table([entry(0x83, 1, 1)]))
    write(folder, "overlap.bin", table([entry(0x83, 8, 100), entry(0x83, 9, 100)]) + bytes(8192))
    write(folder, "magic.bin", bytes(1080) + ext[1080:1082] + bytes(8192))
    write(folder, "oem.bin", b"\xeb\x52\x90NTFS    ".ljust(510, b"\0") + b"\x55\xaa" + bytes(8192))
    write(folder, "zeros.bin", bytes(100000))


{"tables": make_tables, "alarms": make_alarms}[sys.argv[1]](sys.argv[2])
