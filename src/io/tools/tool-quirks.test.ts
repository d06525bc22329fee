import { describe, expect, it } from "vitest";
import { goldOf, readExports, readText, rowsOf } from "../../../test/tool-exports.ts";
import type { BytesOptions } from "../../jobs/from-bytes.ts";
import { goldTable } from "../gold.ts";
import { sniff } from "../index.ts";
import { openTable } from "../table.ts";

const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
const notesOf = async (...args: Parameters<typeof readText>) =>
  (await readText(...args)).notes.join("\n");

describe("Label Studio", () => {
  const result = (type: string, value: object, name = "q") => ({ from_name: name, type, value });
  const task = (id: number, annotations: object[], more = {}) => ({
    id,
    data: {},
    annotations,
    ...more,
  });
  const export_ = (...tasks: object[]) => JSON.stringify(tasks);
  const by = (who: unknown, ...results: object[]) => ({ completed_by: who, result: results });
  const cat = result("choices", { choices: ["cat"] });

  it.each([
    ["choices", { choices: ["cat"] }, "cat"],
    ["rating", { rating: 4 }, "4"],
    ["number", { number: 2.5 }, "2.5"],
    ["pairwise", { selected: "left" }, "left"],
    ["taxonomy", { taxonomy: [["animal", "cat"]] }, "animal / cat"],
  ])("reads %s", async (type, value, label) => {
    const text = export_(task(1, [by(7, result(type, value))]));
    expect(rowsOf(await readText("x.json", text))).toEqual([`1 7 ${label}`]);
  });

  it("knows workers by number, by account, and by the name of old", async () => {
    const account = { id: 3, email: "ana@example.org", first_name: "Ana", last_name: "" };
    const old = { created_username: "cyd", result: [cat] };
    const text = export_(task(1, [by(7, cat), by(account, cat), by({ id: 4 }, cat), old]));
    expect([...(await readText("x.json", text)).workers]).toEqual([
      "7",
      "ana@example.org",
      "4",
      "cyd",
    ]);
  });

  it("reads annotations under their old name", async () => {
    const text = JSON.stringify([{ id: 1, data: {}, completions: [by(7, cat)] }]);
    expect(rowsOf(await readText("x.json", text))).toEqual(["1 7 cat"]);
  });

  it("tells skipped tasks and ground truth from votes", async () => {
    const skipped = { ...by(8), was_cancelled: true };
    const known = { ...by(9, result("choices", { choices: ["dog"] })), ground_truth: true };
    const data = await readText("x.json", export_(task(1, [by(7, cat), skipped, known])));
    expect([rowsOf(data), goldOf(data)]).toEqual([["1 7 cat"], ["1 dog"]]);
    expect(data.notes).toContain("1 row dropped: the worker skipped the task.");
  });

  it("names tasks by a field of the data, and marks of places are no classes", async () => {
    const box = result("rectanglelabels", { x: 1, rectanglelabels: ["cat"] }, "box");
    const text = export_({ id: 1, data: { name: "img" }, annotations: [by(7, cat, box)] });
    const data = await readText("x.json", text, { columns: { task: "name" } });
    expect(rowsOf(data)).toEqual(["img 7 cat"]);
    expect(data.notes.join()).toContain("results of type rectanglelabels mark places");
  });

  it("asks which question is meant, and reads the one that is named", async () => {
    const both = by(7, cat, result("choices", { choices: ["big"] }, "size"));
    const text = export_(task(1, [both]));
    await expect(readText("x.json", text)).rejects.toThrow(
      /x\.json:1: there are several questions: "q", "size"\. Choose one: .*label: "q"/,
    );
    const read = (label: string) => readText("x.json", text, { columns: { label } });
    expect(rowsOf(await read("size"))).toEqual(["1 7 big"]);
    await expect(read("sise")).rejects.toThrow(
      /x\.json: there is no question "sise"; there are: "q", "size"/,
    );
  });

  it("says what is wrong with annotations that are none", async () => {
    await expect(
      readText("x.json", export_(task(1, [], { annotations: {} })), { format: "label-studio" }),
    ).rejects.toThrow('x.json:1: "annotations" should be a list, but is {}.');
    await expect(readText("x.json", '[{"id":1,"data":{},"annotations":[\n3]}]')).rejects.toThrow(
      "x.json:1: an annotation should be an object, but is 3.",
    );
    await expect(readText("x.json", export_(task(1, [by(null, cat)])))).rejects.toThrow(
      'x.json:1: the worker ("completed_by") is empty.',
    );
  });

  it("keeps numbers apart that the language would make one", async () => {
    const text =
      '[{"id":12345678901234567890,"data":{},"annotations":[{"completed_by":1,"result":[RESULT]}]}]';
    await expect(readText("x.json", text.replace("RESULT", JSON.stringify(cat)))).rejects.toThrow(
      /the task \("id"\) should be text or a number, but is a number too large to be exact/,
    );
  });

  describe("JSON-MIN and CSV", () => {
    const after = {
      annotator: 7,
      annotation_id: 5,
      created_at: "2025-01-01T00:00:00Z",
      lead_time: 1,
    };

    it("ask which of several answers is meant", async () => {
      const text = JSON.stringify([{ text: "x", id: 1, a: "cat", b: "big", ...after }]);
      await expect(readText("x.json", text)).rejects.toThrow(/several questions: "a", "b"/);
      const read = await readText("x.json", text, { columns: { label: "b" } });
      expect(rowsOf(read)).toEqual(["1 7 big"]);
    });

    it("read several choices as an error, and the path of a taxonomy", async () => {
      const text = (q: unknown) => JSON.stringify([{ id: 1, q, ...after }]);
      await expect(readText("x.json", text({ choices: ["a", "b"] }))).rejects.toThrow(
        /several answers: \["a","b"\]/,
      );
      expect(rowsOf(await readText("x.json", text([["animal", "cat"]])))).toEqual([
        "1 7 animal / cat",
      ]);
    });

    it("say so where the answer overwrites a field of the data", async () => {
      const text = JSON.stringify([{ q: "cat", id: 1, agreement: 1, ...after }]);
      await expect(readText("x.json", text)).rejects.toThrow(
        /x\.json:1: no answer stands between "id" and "annotator".* choose it \("q"\)/,
      );
      const data = await readText("x.json", text, { columns: { label: "q" } });
      expect(rowsOf(data)).toEqual(["1 7 cat"]);
      expect(data.notes.join()).toContain(
        'the data have a field "q" as well, which Label Studio overwrites',
      );
    });

    it("have times, and say which field is empty", async () => {
      expect((await readExports(["label-studio.csv"])).time?.[0]).toBe(
        Date.UTC(2025, 4, 31, 12, 30, 15, 250),
      );
      const header = "text,id,sentiment,annotator,annotation_id,created_at,lead_time\n";
      await expect(readText("x.csv", `${header}t,,cat,1,2,,\n`)).rejects.toThrow(
        /x\.csv:2: the task \("id"\) is empty/,
      );
    });
  });
});

describe("doccano", () => {
  const line = (label: unknown) => lines({ id: 1, text: "x", label });

  it("takes a task without labels for one not done yet", async () => {
    const text = `${line([])}\n${line(["a"])}`;
    expect(await notesOf("ana.jsonl", text)).toContain("1 row dropped: nothing was labelled yet");
    const csv = "id,text,label,Comments\n1,x,,\n2,y,a,\n";
    expect(await notesOf("ana.csv", csv)).toContain("1 row dropped: nothing was labelled yet");
  });

  it("reads images, and labels under their plural", async () => {
    const text = lines({ id: 1, filename: "a.jpg", labels: ["cat"] });
    expect(rowsOf(await readText("folder/ana.jsonl.gz", text))).toEqual(["1 ana cat"]);
  });

  it("refuses several labels, in CSV joined by #", async () => {
    await expect(readText("ana.jsonl", line(["a", "b"]))).rejects.toThrow(
      'ana.jsonl:1: the label is several classes: ["a","b"].',
    );
    await expect(readText("ana.csv", "id,text,label,Comments\n1,x,a#b,\n")).rejects.toThrow(
      'ana.csv:2: the label is several classes: ["a","b"].',
    );
    await expect(readText("ana.jsonl", line("a"), { format: "doccano" })).rejects.toThrow(
      'ana.jsonl:1: "label" should be a list, but is "a".',
    );
  });

  it("refuses the file of all, and says how to export one for each member", async () => {
    for (const [name, text] of [
      ["all.jsonl", line(["a"])],
      ["export/all.csv", "id,text,label,Comments\n1,x,a,\n"],
    ]) {
      await expect(readText(name, text)).rejects.toThrow(
        /does not say who gave which label\. Turn off "share annotations across all users".*or export each member's own file/,
      );
    }
  });

  it("says to unpack a ZIP, whatever format was named", async () => {
    for (const options of [{}, { format: "doccano" }]) {
      await expect(readText("export.zip", "PK\x03\x04", options)).rejects.toThrow(
        /export\.zip: this is a ZIP file.*Unpack it and name the files in it \(doccano's export has one for each member\)/,
      );
    }
  });

  it("says which column is missing", async () => {
    await expect(readText("ana.csv", "id,text\n1,x\n", { format: "doccano" })).rejects.toThrow(
      'ana.csv:1: there is no column "label"; there are: "id", "text".',
    );
  });
});

describe("Argilla", () => {
  const record = (id: string, responses: object, more = {}) => ({
    id,
    fields: {},
    responses,
    ...more,
  });
  const ana = (value: unknown, more = {}) => [{ value, user_id: "ana", ...more }];

  it("takes a record without responses for one not done yet", async () => {
    const text = lines(record("1", {}), record("2", { q: ana("a") }), record("3", { q: [] }));
    const data = await readText("x.jsonl", text);
    expect(rowsOf(data)).toEqual(["2 ana a"]);
    expect(data.notes.join()).toContain("1 row dropped: the question has no answer");
  });

  it("asks which question is meant across records, and reads the one that is named", async () => {
    const text = lines(record("1", { q: ana("a") }), record("2", { r: ana("b") }));
    await expect(readText("x.jsonl", text)).rejects.toThrow(
      /x\.jsonl:2: there are several questions: "q", "r"/,
    );
    expect(rowsOf(await readText("x.jsonl", text, { columns: { label: "r" } }))).toEqual([
      "2 ana b",
    ]);
  });

  it("leaves out drafts where they are told by question too", async () => {
    const text = lines(record("1", { q: [...ana("a", { status: "discarded" }), ...ana("b")] }));
    expect(rowsOf(await readText("x.jsonl", text))).toEqual(["1 ana b"]);
  });

  it("counts the model of a suggestion only where that is wanted, answered or not", async () => {
    const text = lines(
      record("1", {}, { suggestions: { q: { value: "a", score: 0.9, agent: "gpt" } } }),
      record(
        "2",
        { q: ana("b") },
        { suggestions: { q: { value: "a", score: null, agent: null } } },
      ),
    );
    expect(rowsOf(await readText("x.jsonl", text))).toEqual(["2 ana b"]);
    expect(rowsOf(await readText("x.jsonl", text, { predictions: true }))).toEqual([
      "1 gpt a",
      "2 ana b",
      "2 model a",
    ]);
  });

  it("says what is wrong with responses that are none", async () => {
    await expect(readText("x.jsonl", lines(record("1", { q: "a" })))).rejects.toThrow(
      'x.jsonl:1: the responses to "q" should be a list of objects, but are "a".',
    );
    await expect(readText("x.jsonl", lines(record("1", { q: ana(["a", "b"]) })))).rejects.toThrow(
      'x.jsonl:1: there are several answers: ["a","b"].',
    );
    const unnamed = lines({ q: { user_id: ["ana"], value: ["a"], status: ["submitted"] } });
    await expect(readText("x.jsonl", unnamed)).rejects.toThrow(
      /x\.jsonl:1: the task \("id"\) is empty\. Something else can name the task: .*task: "…"/,
    );
  });
});

describe("Prodigy", () => {
  const line = (more: object) => ({
    _input_hash: 1,
    answer: "accept",
    _annotator_id: "d-ana",
    ...more,
  });

  it("reads the accepted option, yes and no", async () => {
    const text = lines(
      line({ accept: ["cat"] }),
      line({ label: "SPAM", _input_hash: 2 }),
      line({ label: "SPAM", _input_hash: 3, answer: "reject" }),
    );
    expect(rowsOf(await readText("p.jsonl", text))).toEqual([
      "1 ana cat",
      "2 ana SPAM",
      "3 ana not SPAM",
    ]);
  });

  it("leaves out what was ignored, and choices that were refused", async () => {
    const text = lines(
      line({ accept: ["cat"] }),
      line({ accept: ["cat"], answer: "ignore", _annotator_id: "d-bob" }),
      line({ accept: ["cat"], answer: "reject", _annotator_id: "d-cyd" }),
      line({ accept: [], _annotator_id: "d-dan" }),
    );
    const data = await readText("p.jsonl", text);
    expect(rowsOf(data)).toEqual(["1 ana cat"]);
    expect(data.notes).toContain("1 row dropped: the worker ignored the task.");
    expect(data.notes).toContain("2 rows dropped: the label is empty.");
  });

  it("takes the name of the data set and the codes of an address away from workers", async () => {
    const text = lines(
      line({ accept: ["a"], _annotator_id: "news-ana%20b%C3%A9" }),
      line({ accept: ["a"], _annotator_id: undefined, _session_id: "news-x-y" }),
      line({ accept: ["a"], _annotator_id: "news-100%" }),
    );
    expect([...(await readText("p.jsonl", text)).workers]).toEqual(["ana bé", "x-y", "100%"]);
    const hyphen = lines(line({ accept: ["a"], _annotator_id: "my-news-ana" }));
    expect([...(await readText("data/my-news.jsonl", hyphen)).workers]).toEqual(["ana"]);
  });

  it("counts sessions without a name", async () => {
    const text = lines(
      line({ accept: ["a"], _annotator_id: "2025-01-02_03-04-05" }),
      line({ accept: ["a"], _annotator_id: "d-2025-01-02_03-04-06" }),
    );
    const data = await readText("p.jsonl", text);
    expect([...data.workers]).toEqual(["2025-01-02_03-04-05", "d-2025-01-02_03-04-06"]);
    expect(data.notes.join()).toContain("2 answers were given without ?session=name");
  });

  it("says what cannot be read", async () => {
    await expect(readText("p.jsonl", lines(line({ accept: ["a", "b"] })))).rejects.toThrow(
      'p.jsonl:1: several options were accepted: ["a","b"].',
    );
    await expect(readText("p.jsonl", lines(line({ spans: [] })))).rejects.toThrow(
      /p\.jsonl: this file holds no categorical answers: its lines mark spans of text/,
    );
  });
});

describe("Mechanical Turk", () => {
  const read = (header: string, cells: string, options: BytesOptions = {}) =>
    readText("m.csv", `HITId,WorkerId,${header}\nh,w,${cells}\n`, options);
  const json = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;

  it.each([
    ["Answer.q", "cat"],
    ["Answer.q.label", "cat"],
    ["Answer.q.cat,Answer.q.dog", "true,false"],
    ["Answer.q.cat,Answer.q.dog", "TRUE,"],
    ["Answer.q.label,Answer.q.cat", "false,true"],
    ["Answer.taskAnswers", json([{ q: "cat" }])],
    ["Answer.taskAnswers", json([{ q: { label: "cat" } }])],
    ["Answer.taskAnswers", json([{ q: { cat: true, label: false } }])],
    ["Answer.taskAnswers", json({ q: "cat" })],
  ])("reads %s", async (header, cells) => {
    expect(rowsOf(await read(header, cells))).toEqual(["h w cat"]);
  });

  it("reads the question that is named, in each of its forms", async () => {
    for (const label of ["b", "Answer.b"]) {
      const options = { columns: { label } };
      expect(rowsOf(await read("Answer.a,Answer.b", "x,cat", options))).toEqual(["h w cat"]);
      const both = json([{ a: "x", b: "cat" }]);
      expect(rowsOf(await read("Answer.taskAnswers", both, options))).toEqual(["h w cat"]);
    }
    const dotted = { columns: { label: "Answer.b.label" } };
    expect(rowsOf(await read("Answer.a,Answer.b.label", "x,cat", dotted))).toEqual(["h w cat"]);
    await expect(read("Answer.a", "x", { columns: { label: "c" } })).rejects.toThrow(
      'm.csv:2: there is no question "c"; there are: "a".',
    );
  });

  it("takes another column for the task", async () => {
    const options = { columns: { task: "Input.url" } };
    expect(rowsOf(await read("Input.url,Answer.q", "img,cat", options))).toEqual(["img w cat"]);
    await expect(read("Answer.q", "cat", options)).rejects.toThrow(
      /m\.csv:1: there is no column "Input\.url".*The columns are: HITId, WorkerId, Answer\.q/,
    );
  });

  it("counts rejected work only where that is wanted", async () => {
    expect([...(await readExports(["mturk.csv"])).workers]).not.toContain("eve");
    const all = await readExports(["mturk.csv"], { rejected: true });
    expect(rowsOf(all)).toContain("3H12 eve positive");
  });

  it("says what is wrong with boxes", async () => {
    const boxes = "Answer.q.cat,Answer.q.dog";
    await expect(read(boxes, "true,true")).rejects.toThrow(
      'm.csv:2: several options are ticked: "cat", "dog".',
    );
    await expect(read(boxes, "true,perhaps")).rejects.toThrow(
      'm.csv:2: the option "dog" should be true or false, but is "perhaps".',
    );
    const none = read(boxes, "false,false");
    await expect(none).rejects.toThrow(/there are no labels\. 1 row dropped: the label is empty/);
  });
});

describe("Toloka", () => {
  const header = "INPUT:url\tINPUT:hint\tOUTPUT:result\tASSIGNMENT:worker_id\tASSIGNMENT:status\n";
  const read = (rows: string, options: BytesOptions = {}) =>
    readText("t.tsv", header + rows, options);

  it("knows a task by all of its input where it has no number", async () => {
    const data = await read(
      "a\tx\tcat\tana\tAPPROVED\na\ty\tdog\tana\tAPPROVED\na\tx\tdog\tbob\t\n",
    );
    expect([...data.tasks]).toEqual(["a\tx", "a\ty"]);
    expect(data.label).toHaveLength(3);
    const one = await read("a\tx\tcat\tana\t\n", { columns: { task: "INPUT:url" } });
    expect([...one.tasks]).toEqual(["a"]);
  });

  it("leaves out what was rejected, skipped or has run out; rejected work counts where that is wanted", async () => {
    const rows = ["APPROVED", "SUBMITTED", "REJECTED", "SKIPPED", "EXPIRED"]
      .map((status) => `a\tx\tcat\t${status.toLowerCase()}\t${status}\n`)
      .join("");
    expect([...(await read(rows)).workers]).toEqual(["approved", "submitted"]);
    expect([...(await read(rows, { rejected: true })).workers]).toContain("rejected");
  });

  it("says which column is missing, and asks which answer is meant", async () => {
    const two = "INPUT:a\tOUTPUT:x\tOUTPUT:y\tASSIGNMENT:worker_id\n1\tp\tq\tana\n";
    await expect(readText("t.tsv", two)).rejects.toThrow(
      /t\.tsv:1: there are several answers: "x", "y"/,
    );
    for (const label of ["y", "OUTPUT:y"]) {
      expect(rowsOf(await readText("t.tsv", two, { columns: { label } }))).toEqual(["1 ana q"]);
    }
    const bare = "INPUT:a\tASSIGNMENT:worker_id\n1\tana\n";
    await expect(readText("t.tsv", bare, { format: "toloka" })).rejects.toThrow(
      /t\.tsv:1: there is no column "OUTPUT:…"/,
    );
    const unnamed = "OUTPUT:x\tASSIGNMENT:worker_id\np\tana\n";
    await expect(readText("t.tsv", unnamed)).rejects.toThrow(
      /t\.tsv:1: there is no column "ASSIGNMENT:task_id" that names the task/,
    );
  });
});

describe("Zooniverse", () => {
  const cell = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
  const header =
    "classification_id,user_name,user_id,user_ip,workflow_id,workflow_version,created_at,gold_standard,metadata,annotations,subject_ids\n";
  interface Row {
    user?: string;
    flow?: string;
    version?: string;
    at?: string;
    seen?: boolean;
    answers?: object[];
    subject?: string;
  }
  const row = ({
    user = "ana",
    flow = "11",
    version = "4.8",
    at = "",
    seen = false,
    answers,
    subject = "5",
  }: Row) =>
    [
      "1",
      user,
      "",
      "ip",
      flow,
      version,
      at,
      "",
      cell({ subject_selection_state: { already_seen: seen } }),
      cell(answers ?? [t0("cat")]),
      subject,
    ].join(",");
  const t0 = (value: unknown, task = "T0") => ({ task, task_label: "?", value });
  const read = (rows: Row[], label?: string) =>
    readText(
      "z.csv",
      `${header}${rows.map(row).join("\n")}\n`,
      label ? { columns: { label } } : {},
    );

  it("asks which workflow is meant, and reads the one that is named", async () => {
    const rows = [{ flow: "11" }, { flow: "12", subject: "6" }];
    await expect(read(rows)).rejects.toThrow(
      /z\.csv:3: there are several workflows: 11 and 12\. .*label: "11\/T0"/,
    );
    expect(rowsOf(await read(rows, "12/T0"))).toEqual(["6 ana cat"]);
  });

  it("asks which version is meant where the tasks have changed, not where words have", async () => {
    const words = [{ version: "4.8" }, { version: "4.10", subject: "6" }];
    expect(rowsOf(await read(words))).toEqual(["5 ana cat", "6 ana cat"]);
    expect(rowsOf(await read(words, "11@4.8/T0"))).toEqual(["5 ana cat"]);
    const tasks = [{ version: "4.8" }, { version: "40.1", subject: "6" }];
    await expect(read(tasks)).rejects.toThrow(
      /z\.csv:3: there are several versions: 4 and 40\.1\. .*label: "11@4\/T0" }\. To read all of them, say 11@\*\/T0/,
    );
    expect(rowsOf(await read(tasks, "11@40/T0"))).toEqual(["6 ana cat"]);
    expect(rowsOf(await read(tasks, "11@*/T0"))).toEqual(["5 ana cat", "6 ana cat"]);
  });

  it("asks which task is meant, and reads the one that is named", async () => {
    const rows = [
      { answers: [] },
      { answers: [t0("cat")] },
      { answers: [t0("cat"), t0("big", "T1")], subject: "6" },
    ];
    await expect(read(rows)).rejects.toThrow(/z\.csv:4: there are several tasks: "T0", "T1"/);
    for (const label of ["T1", "11/T1"])
      expect(rowsOf(await read(rows, label))).toEqual(["6 ana big"]);
    await expect(read(rows, "T7")).rejects.toThrow(/there is no task "T7"; there are: "T0", "T1"/);
  });

  it("counts what a user has seen already once, the last time", async () => {
    const rows = [
      { at: "2025-05-31 12:30:15 UTC" },
      { at: "2025-05-31 12:40:15 UTC", seen: true, answers: [t0("dog")] },
    ];
    expect(rowsOf(await read(rows))).toEqual(["5 ana dog"]);
  });

  it("knows users that were not logged in, and drops questions that were passed over", async () => {
    const rows = [{ user: "not-logged-in-f0" }, { user: "" }, { answers: [t0(null)] }];
    const data = await read(rows);
    expect([...data.workers]).toEqual(["not-logged-in-f0", "ip"]);
    expect(data.notes).toContain("1 row dropped: the label is empty.");
  });

  it("reads a single choice of a list, and says what is no class", async () => {
    expect(rowsOf(await read([{ answers: [t0(["cat"])] }]))).toEqual(["5 ana cat"]);
    await expect(read([{ answers: [t0(["cat", "dog"])] }])).rejects.toThrow(
      'z.csv:2: the answer is ["cat","dog"], not one class.',
    );
    await expect(read([{ answers: [t0([{ x: 1, y: 2 }])] }])).rejects.toThrow(
      'z.csv:2: the label ("annotations") should be text or a number, but is an object.',
    );
  });
});

describe("JSON in cells", () => {
  it("that nests without end is refused like any other that cannot be read", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const header = "classification_id,user_name,workflow_id,annotations,subject_ids\n";
    const cell = `[{""task"": ""T0"", ""value"": [${deep}, 1]}]`;
    await expect(readText("z.csv", `${header}1,ana,11,"${cell}",5\n`)).rejects.toThrow(
      /z\.csv:2: "annotations" is not a JSON list/,
    );
  });
});

describe("CSV of tools", () => {
  const labelsOf = async (name: string, text: string) => {
    const bytes = new TextEncoder().encode(text);
    const table = openTable(goldTable, name, sniff(bytes, name), {});
    table.push(bytes);
    await table.finish();
    return table.result().gold;
  };

  it("may hold known classes as any table may, their JSON may not", async () => {
    const doccano = "id,text,label,Comments\n11,x,cat,\n";
    expect(await labelsOf("gold.csv", doccano)).toEqual([["11", "cat"]]);
    const studio = "id,category,annotator,annotation_id,lead_time\n11,cat,1,2,3\n";
    expect(await labelsOf("gold.csv", studio)).toEqual([["11", "cat"]]);
    await expect(labelsOf("gold.jsonl", lines({ id: 1, text: "x", label: ["a"] }))).rejects.toThrow(
      "gold.jsonl: doccano's JSON lines hold labels only. Use CSV, plain JSON lines, Parquet or Arrow here.",
    );
  });
});
