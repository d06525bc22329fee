import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp, { type Sharp } from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowSize } from "../data/features.ts";
import { openFeatures } from "./features.ts";
import { imagesInFolder, isImageList, readImages } from "./images.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "consilience-images-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A new folder with these images. */
async function folderOf(name: string, images: Readonly<Record<string, Sharp>>): Promise<string> {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, image] of Object.entries(images)) await image.toFile(join(path, file));
  return path;
}

/** An image of these bytes, pixel by pixel. */
function pixels(height: number, width: number, channels: 1 | 2 | 3 | 4, bytes?: Uint8Array): Sharp {
  const data =
    bytes ?? Uint8Array.from({ length: height * width * channels }, (_, i) => (i * 7) % 256);
  const image = sharp(data, { raw: { height, width, channels } });
  return channels < 3 ? image.toColourspace("b-w") : image;
}

function row(features: Awaited<ReturnType<typeof openFeatures>>, task: string): number[] {
  const into = new Float32Array(rowSize(features));
  features.read([features.tasks.indexOf(task)], into);
  return [...into];
}

const scaled = (bytes: Iterable<number>) => Array.from(bytes, (byte) => Math.fround(byte / 255));

/** Writes other sizes into the header of a PNG, with the checksum that belongs to them. */
function claiming(png: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(png);
  changed.writeUInt32BE(width, 16);
  changed.writeUInt32BE(height, 20);
  let crc = -1;
  for (const byte of changed.subarray(12, 29)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  changed.writeUInt32BE(~crc >>> 0, 29);
  return changed;
}

it("refuses an image whose header says more than its bytes can hold", async () => {
  const path = await folderOf("bomb", {});
  writeFileSync(join(path, "a.png"), claiming(await pixels(3, 4, 3).png().toBuffer(), 9000, 9000));
  await expect(openFeatures(path)).rejects.toThrow(
    /its header says 9000 × 9000 pixels, too many for \d+ bytes/,
  );
});

describe("openFeatures of images", () => {
  it("reads a folder of PNGs: tasks by file name, channels first, 0 to 1", async () => {
    const bytes = Uint8Array.from({ length: 2 * 3 * 3 }, (_, i) => i * 14);
    const path = await folderOf("rgb", {
      "b.png": pixels(2, 3, 3, bytes),
      "a.png": pixels(2, 3, 3, bytes.toReversed()),
      "img.v2.PNG": pixels(2, 3, 3),
    });
    writeFileSync(join(path, "notes.txt"), "x");
    writeFileSync(join(path, ".hidden.png"), "x");
    const features = await openFeatures(path);
    expect([...features.tasks]).toEqual(["a", "b", "img.v2"]);
    expect(features.shape).toEqual([3, 2, 3]);
    expect(features.scale).toBe(1 / 255);
    const planes = [0, 1, 2].flatMap((c) => [...bytes].filter((_, i) => i % 3 === c));
    expect(row(features, "b")).toEqual(scaled(planes));
    expect(features.notes).toEqual([
      `${path}: 1 other file not read.`,
      `${path}: 3 images of 3 channels, 2 × 3; their 0 to 255 are scaled to 0 to 1.`,
    ]);
  });

  it("names images with or without their ending, as the tasks that have labels are", async () => {
    const path = await folderOf("named", {
      "img-17.jpg": pixels(2, 3, 3),
      "img-18.png": pixels(2, 3, 3),
      "img-19.png": pixels(2, 3, 3),
    });
    const read = async (match?: readonly string[]) => {
      const { tasks, notes } = await openFeatures(path, { match });
      return { tasks: [...tasks], note: notes.find((note) => note.includes("ending")) };
    };
    const without = ["img-17", "img-18", "img-19"];
    expect(await read()).toEqual({ tasks: without, note: undefined });
    expect(await read(["img-17", "x"])).toEqual({ tasks: without, note: undefined });
    expect(await read(["other"])).toEqual({ tasks: without, note: undefined });
    expect(await read(["img-17.jpg", "img-18.png"])).toEqual({
      tasks: ["img-17.jpg", "img-18.png", "img-19"],
      note: `${path}: 2 images are named with their ending, as the labels name them, such as "img-17.jpg".`,
    });
    expect((await read(["img-17", "img-18.png"])).tasks).toEqual([
      "img-17",
      "img-18.png",
      "img-19",
    ]);
  });

  it("names images in one Unicode form, as labels are", async () => {
    const path = await folderOf("unicode", { "cafe\u0301.png": pixels(2, 3, 3) });
    expect([...(await openFeatures(path)).tasks]).toEqual(["caf\u00e9"]);
  });

  it("reads grey images as one channel, and as three among coloured ones", async () => {
    const bytes = Uint8Array.of(0, 100, 200, 255);
    const grey = await folderOf("grey", { "a.png": pixels(2, 2, 1, bytes) });
    const features = await openFeatures(grey);
    expect([features.shape, row(features, "a")]).toEqual([[1, 2, 2], scaled(bytes)]);
    const mixed = await openFeatures(
      await folderOf("mixed", { "a.png": pixels(2, 2, 1, bytes), "b.png": pixels(2, 2, 3) }),
    );
    expect(row(mixed, "a")).toEqual(scaled([...bytes, ...bytes, ...bytes]));
    expect(mixed.notes.join()).toContain("1 image of grey read as colours");
  });

  it("reads 16 bits as 8, and leaves transparency out", async () => {
    const deep = sharp(Uint16Array.of(0, 128 * 257, 200 * 257, 65_535), {
      raw: { height: 2, width: 2, channels: 1 },
    })
      .toColourspace("grey16")
      .png();
    const path = await folderOf("deep", { "a.png": deep });
    const features = await openFeatures(path);
    expect(features.shape).toEqual([1, 2, 2]);
    const levels = row(features, "a").map((value) => Math.round(value * 255));
    for (const [i, level] of [0, 128, 200, 255].entries()) {
      expect(Math.abs(levels[i] - level)).toBeLessThanOrEqual(1);
    }
    const clear = await openFeatures(
      await folderOf("clear", { "a.png": pixels(1, 2, 4, Uint8Array.of(9, 8, 7, 6, 5, 4, 3, 2)) }),
    );
    expect(row(clear, "a")).toEqual(scaled([9, 5, 8, 4, 7, 3]));
    expect(clear.notes.join()).toContain("1 image had transparency, which is left out.");
  });

  it("turns photographs upright, as viewers show them", async () => {
    const bytes = Uint8Array.from({ length: 16 * 8 * 3 }, (_, i) => (i < 192 ? 250 : 5));
    const path = await folderOf("turned", {
      "a.jpg": pixels(16, 8, 3, bytes).jpeg({ quality: 100 }).withMetadata({ orientation: 6 }),
    });
    const features = await openFeatures(path);
    expect(features.shape).toEqual([3, 8, 16]);
    // The bright upper half has become the right half.
    const numbers = row(features, "a");
    expect(numbers[0]).toBeLessThan(0.1);
    expect(numbers[15]).toBeGreaterThan(0.9);
  });

  it("reads the images that a table names, by paths from its own folder", async () => {
    const path = await folderOf("listed", {
      "one.png": pixels(2, 2, 3),
      "two.png": pixels(2, 2, 3),
    });
    mkdirSync(join(path, "lists"));
    const list = join(path, "lists", "images.csv");
    writeFileSync(list, `task,path,site\nx,../two.png,a\ny,${join(path, "one.png")},b\n`);
    const features = await openFeatures(list);
    expect([...features.tasks]).toEqual(["x", "y"]);
    expect(row(features, "x")).toEqual(row(await openFeatures(path), "two"));
  });

  it("names the first ten images that are missing, and how many more", async () => {
    const list = join(folder, "missing.csv");
    const rows = Array.from({ length: 13 }, (_, i) => `t${i},no/${i}.png\n`);
    writeFileSync(list, `task,path\n${rows.join("")}`);
    const error = await openFeatures(list).catch((cause) => cause);
    expect(error.code).toBe("bad-data");
    expect(error.message).toContain(`${list}: 13 images not found: ${join(folder, "no/0.png")}`);
    expect(error.message).toContain(`${join(folder, "no/9.png")} and 3 more.`);
  });

  it("refuses images of different sizes, unless told to resize them", async () => {
    const path = await folderOf("sizes", {
      "a.png": pixels(4, 6, 3),
      "b.png": pixels(4, 6, 3),
      "c.png": pixels(6, 4, 3),
      "d.png": pixels(8, 8, 3),
    });
    await expect(openFeatures(path)).rejects.toThrow(
      `${path}: images should have one size. a.png is 4 × 6 (height × width), but c.png is 6 × 4, ` +
        "d.png is 8 × 8. To bring all to one size, use size: 64.",
    );
    expect((await openFeatures(path, { size: 5 })).shape).toEqual([3, 5, 5]);
    expect((await openFeatures(path, { size: [2, 3] })).shape).toEqual([3, 2, 3]);
    await expect(openFeatures(path, { size: 0 })).rejects.toMatchObject({ code: "bad-option" });
  });

  it("keeps an even colour when it resizes", async () => {
    const path = await folderOf("even", { "a.png": pixels(9, 9, 1, new Uint8Array(81).fill(77)) });
    const features = await openFeatures(path, { size: 4 });
    expect(row(features, "a")).toEqual(scaled(new Uint8Array(16).fill(77)));
  });

  it("names images that cannot be decoded, cut off or something else", async () => {
    const path = await folderOf("broken", { "ok.png": pixels(40, 40, 3) });
    const whole = await pixels(
      40,
      40,
      3,
      Uint8Array.from({ length: 4800 }, (_, i) => i * i),
    )
      .png()
      .toBuffer();
    writeFileSync(join(path, "cut.png"), whole.subarray(0, whole.length >> 1));
    writeFileSync(join(path, "text.jpg"), "no image at all");
    const error = await openFeatures(path).catch((cause) => cause);
    expect(error).toMatchObject({ code: "bad-data" });
    expect(error.message).toMatch(/1 image cannot be read: .*text\.jpg/);
    rmSync(join(path, "text.jpg"));
    await expect(openFeatures(path)).rejects.toThrow(/1 image cannot be read: .*cut\.png/);
  });

  it("says what to install where there is no decoder", async () => {
    const path = await folderOf("alone", { "a.png": pixels(2, 2, 3) });
    const loadSharp = () => Promise.reject(new Error("Cannot find package 'sharp'"));
    await expect(openFeatures(path, { loadSharp })).rejects.toMatchObject({
      code: "not-supported",
      message: "Reading PNG and JPEG needs the package sharp, which is not installed: npm i sharp",
    });
  });

  it.each([
    ["none", [], "there is no PNG or JPEG in this folder."],
    ["within", ["cats"], 'name them in a CSV with columns "task" and "path"'],
  ])("says that a folder has %s", async (name, folders, message) => {
    const path = await folderOf(name, {});
    for (const inner of folders) mkdirSync(join(path, inner));
    await expect(openFeatures(path)).rejects.toThrow(message);
  });

  it("refuses two images of one name, and an empty list", async () => {
    const path = await folderOf("twice", { "a.png": pixels(2, 2, 3), "a.jpg": pixels(2, 2, 3) });
    await expect(openFeatures(path)).rejects.toThrow('1 task named more than once: "a".');
    const list = join(folder, "empty.csv");
    writeFileSync(list, "task,path\n");
    await expect(openFeatures(list)).rejects.toThrow("there are no images");
    writeFileSync(list, "task,path\nx,\n");
    await expect(openFeatures(list)).rejects.toThrow("the path of row 1 is empty");
  });

  it("refuses what would not fit into memory", async () => {
    const path = await folderOf("huge", { "a.png": pixels(50, 50, 3) });
    await expect(readImages(imagesInFolder(path), {}, 7499)).rejects.toMatchObject({
      code: "too-large",
    });
    expect((await readImages(imagesInFolder(path), {}, 7500)).shape).toEqual([3, 50, 50]);
  });
});

describe("isImageList", () => {
  it.each([
    ["task", "path"],
    ["image_path", "item"],
    ["task", "filename"],
    ["path", "task", "site"],
  ])("knows %s,%s", (...header) => expect(isImageList(header)).toBe(true));
  it.each([["task", "a"], ["filename", "f1"], ["file", "f1", "f2"], ["id", "file", "x"], ["path"]])(
    "does not take %s,%s for one",
    (...header) => expect(isImageList(header)).toBe(false),
  );
});
