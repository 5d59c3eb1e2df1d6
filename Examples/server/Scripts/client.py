"""Pictures, and a client of HTTP/1.1, for load and manners.py."""
import asyncio, struct, zlib


def check(condition, message):
    if not condition:
        raise AssertionError(message)


# Pictures

def png(width, height, level=1):
    """A picture with gradients and some noise, in colour; level 0 is not compressed."""
    noise = b"".join(struct.pack("<I", n * 2654435761 % 2**32) for n in range(width * 3 // 4 + 1))
    rows = bytearray()
    for y in range(height):
        row = bytes((x * 255 // width + (noise[3 * x] & 7)) & 255 if c == 0 else (y * 255 // height if c == 1 else noise[3 * x + 2] >> 2)
                    for x in range(width) for c in range(3)) if y % 16 == 0 else row
        rows += b"\0" + row
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows), level)) + chunk(b"IEND", b"")


def size_of(kind, file):
    """Width and height, read from the headers."""
    if kind == "image/png":
        check(file[:8] == b"\x89PNG\r\n\x1a\n", "no PNG signature")
        return struct.unpack(">II", file[16:24])
    if kind == "image/webp":
        check(file[:4] == b"RIFF" and file[8:12] == b"WEBP", "no WebP file")
        if file[12:16] == b"VP8X":
            return int.from_bytes(file[24:27], "little") + 1, int.from_bytes(file[27:30], "little") + 1
        if file[12:16] == b"VP8 ":
            width, height = struct.unpack("<HH", file[26:30])
            return width & 0x3FFF, height & 0x3FFF
        check(file[12:16] == b"VP8L", "a WebP file without a picture in front")
        bits = int.from_bytes(file[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    check(file[:2] == b"\xff\xd8" and file[-2:] == b"\xff\xd9", "no whole JPEG file")
    at = 2
    while True:
        marker, length = file[at + 1], int.from_bytes(file[at + 2:at + 4], "big")
        if marker in (0xC0, 0xC1, 0xC2):
            height, width = struct.unpack(">HH", file[at + 5:at + 9])
            return width, height
        at += 2 + length


# A client of HTTP/1.1

def head(path, length=None, accept="*/*", method="POST", fields=()):
    """A request's header; of a chunked one if there is no length."""
    framing = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Accept: {accept}", framing, *fields]
    return "".join(line + "\r\n" for line in lines + [""]).encode()


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


async def connect(port):
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", port)
        except ConnectionError:  # the queue of connections is full
            await asyncio.sleep(0.05)


async def answer(reader, has_body=True):
    """Status, header fields and body of an answer."""
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:] if line)}
    body, status = b"", int(lines[0].split()[1])
    if not has_body or status < 200:
        return status, fields, body
    if fields.get("transfer-encoding") == "chunked":
        while (length := int(await reader.readline(), 16)) > 0:
            body += await reader.readexactly(length)
            await reader.readexactly(2)
        await reader.readexactly(2)
    else:
        body = await reader.readexactly(int(fields.get("content-length", 0)))
    return status, fields, body


async def post(port, path, upload, accept="*/*", pause=None, fields=(), pieces=20, is_chunked=False):
    """Sends an upload, in pieces of equal length with a pause between them if there is one, and reads the answer meanwhile."""
    reader, writer = await connect(port)
    reading = asyncio.create_task(answer(reader))
    try:
        writer.write(head(path, None if is_chunked else len(upload), accept, fields=fields))
        length = -(-len(upload) // pieces) if pause is not None else 1 << 16
        for start in range(0, len(upload), max(1, length)):
            piece = memoryview(upload)[start:start + length]
            writer.write(chunk(piece) if is_chunked else piece)
            await writer.drain()
            if pause is not None:
                await asyncio.sleep(pause)
        if is_chunked:
            writer.write(chunk(b""))
    except ConnectionError:
        pass  # the answer says why
    try:
        return await reading
    finally:
        writer.close()
