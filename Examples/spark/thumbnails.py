#!/usr/bin/env python3
"""Makes thumbnails of a folder of pictures with Spark: binaryFile in, `imagetool batch` in every task, Parquet out.

usage: thumbnails.py [--tool PATH] [--size SIZE] [--partitions N] INPUT OUTPUT

INPUT is a folder that Spark reads recursively, OUTPUT a folder for Parquet files with a row for each picture:

    path      string   where it was read
    width     int      pixels of the thumbnail; null where there is none
    height    int
    thumbnail binary   a PNG file
    error     string   why there is no thumbnail

Every task starts one worker and sends it the bytes of its pictures, one JSON job a line; a picture that fails costs its
row an error, and the others go on. The tool (--tool, default: imagetool on the PATH) has to be on every machine:
spark-submit --files ships it where it is not. Needs PySpark and Java.
"""
import argparse
import base64
import json
import subprocess
import threading


def answers(tool, size, rows):
    """The rows of one partition, each with what the worker made of it."""
    # Pictures come from anywhere, so the worker's limits are those for strangers' files. One job at a time: Spark runs
    # a task for each core already.
    worker = subprocess.Popen(
        [tool, "batch", "--jobs", "1", "--limits", "untrusted"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    paths = []

    def send():
        # In a thread of its own: who only wrote, and did not read, would wait for ever once both pipes are full.
        try:
            for row in rows:
                paths.append(row.path)
                job = {"id": len(paths) - 1, "operation": "thumbnail", "size": size, "format": "png",
                       "base64": base64.b64encode(row.content).decode()}
                worker.stdin.write(json.dumps(job).encode() + b"\n")
        finally:
            worker.stdin.close()

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    for line in worker.stdout:
        answer = json.loads(line)
        error = answer.get("error")
        yield (
            paths[answer["id"]], answer.get("width"), answer.get("height"),
            bytearray(base64.b64decode(answer["base64"])) if "base64" in answer else None,
            error and f'{error["code"]}: {error["message"]}')
    sender.join()
    # 1 says that some picture failed, which its row has.
    if worker.wait() not in (0, 1):
        raise RuntimeError(f"{tool} ended with status {worker.returncode}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, usage=argparse.SUPPRESS, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="imagetool")
    parser.add_argument("--size", default="400x300")
    parser.add_argument("--partitions", type=int, default=0)
    parser.add_argument("input")
    parser.add_argument("output")
    arguments = parser.parse_args()

    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("thumbnails").getOrCreate()
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(arguments.input)
    files = files.select("path", "content")
    if arguments.partitions:
        files = files.repartition(arguments.partitions)
    tool, size = arguments.tool, arguments.size
    thumbnails = files.rdd.mapPartitions(lambda rows: answers(tool, size, rows)).toDF(
        "path string, width int, height int, thumbnail binary, error string")
    thumbnails.write.mode("overwrite").parquet(arguments.output)

    made = spark.read.parquet(arguments.output)
    made.selectExpr(
        "element_at(split(path, '/'), -1) AS file", "width", "height", "length(thumbnail) AS bytes", "error"
    ).orderBy("file").show(100, truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
