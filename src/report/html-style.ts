import { inTheDark } from "./charts/palette.ts";

/** Screens of phones. */
export const PHONE = "@media screen and (max-width: 40rem)";

/** How a page looks: light or dark as the reader likes, on paper always light and without controls. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --text: #1c2026; --quiet: #59616d; --line: #dde1e7;
  --accent: #00629b; --head: #eef1f5; --note: #fff7e6; --note-line: #e6c77a; --good: #1a7441;
  --care: #8a5300; --bad: #b3261e; --bad-page: #fdecea;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #101317; --card: #181c22; --text: #e4e8ee; --quiet: #9aa4b2; --line: #2c333d;
    --accent: #6cb8ec; --head: #20262e; --note: #2a2414; --note-line: #6b571f; --good: #6fd19a;
    --care: #f0b95c; --bad: #ff8f85; --bad-page: #341917;
  }
${inTheDark
  .map(
    ([color, instead]) =>
      `  .chart [fill="${color}"] { fill: ${instead}; } .chart [stroke="${color}"] { stroke: ${instead}; }`,
  )
  .join("\n")}
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
header, main, footer, nav { max-width: 76rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2.25rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .25rem; letter-spacing: -.015em; }
h2 { font-size: 1.3rem; margin: 0 0 .5rem; letter-spacing: -.01em; }
p { margin: 0 0 .75rem; max-width: 48rem; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 2; }
.subtitle, footer, .more, figcaption { color: var(--quiet); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 0; padding: .75rem 0; font-size: .9rem; }
.facts {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(10.5rem, 1fr)); gap: .75rem;
  margin: 1.25rem 0;
}
.facts div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .7rem .9rem; }
.facts dt { color: var(--quiet); font-size: .8rem; }
.facts dd { margin: .1rem 0 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.alarm { background: var(--bad-page); border-bottom: 3px solid var(--bad); }
.alarm p { max-width: 76rem; margin: 0 auto; padding: .8rem 1.5rem; }
.alarm strong { color: var(--bad); }
.verdict { background: var(--card); border: 1px solid var(--line); border-left: 6px solid var(--care); border-radius: 10px; padding: .9rem 1.1rem; margin: 1rem 0 0; overflow-wrap: anywhere; }
.verdict[data-level=trust] { border-left-color: var(--good); }
.verdict[data-level="do not trust yet"] { border-left-color: var(--bad); }
.level { color: var(--care); }
[data-level=trust] .level { color: var(--good); }
[data-level="do not trust yet"] .level { color: var(--bad); }
.verdict ul { margin: 0 0 .6rem; padding-left: 1.25rem; max-width: 60rem; }
.verdict p { margin: 0 0 .4rem; max-width: 60rem; }
.verdict summary { cursor: pointer; color: var(--quiet); }
.notes { background: var(--note); border: 1px solid var(--note-line); border-radius: 10px; padding: .75rem 1rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
.notes h2 { font-size: .95rem; margin: 0; }
.notes ul { margin: .25rem 0 0; padding-left: 1.25rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.4rem 1.5rem; margin: 0 0 1.25rem; }
.charts { columns: 2 28rem; column-gap: 2rem; margin: 1rem 0 0; }
figure { margin: 0 0 1.5rem; break-inside: avoid; max-width: 42rem; }
figcaption { font-size: .9rem; font-weight: 600; margin-bottom: .35rem; }
.chart { display: block; width: 100%; height: auto; }
.scroll { overflow: auto; max-height: 34rem; border: 1px solid var(--line); border-radius: 8px; margin: 1rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; color: var(--quiet); padding: .55rem .75rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-top: 1px solid var(--line); }
thead th { position: sticky; top: 0; background: var(--head); vertical-align: bottom; z-index: 1; }
tbody bdi { overflow-wrap: anywhere; }
tbody th { font-weight: 500; }
.t { min-width: 7.5rem; max-width: 24rem; }
.w { min-width: 24rem; max-width: none; }
.n { text-align: right; }
td.n { white-space: nowrap; }
th button { all: unset; cursor: pointer; font-weight: 600; white-space: nowrap; }
th button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
th button::after { content: "↕"; opacity: .35; padding-left: .35em; font-weight: 400; }
[aria-sort=ascending] button::after { content: "↑"; opacity: 1; }
[aria-sort=descending] button::after { content: "↓"; opacity: 1; }
.state { display: inline-block; border: 1px solid var(--line); border-radius: 99px; padding: 0 .6rem; font-weight: 600; }
.state[data-state=ok] { color: var(--good); }
.state[data-state=warn] { background: var(--note); border-color: var(--note-line); }
.state[data-state=unknown] { color: var(--quiet); border-style: dashed; }
.with .t { min-width: 4rem; }
.with .c { min-width: 15rem; }
.with .w { min-width: 17rem; }
.content { margin-top: .25rem; font-size: .875rem; font-weight: 400; color: var(--quiet); }
.content p { margin: .25rem 0 0; white-space: pre-line; overflow-wrap: anywhere; }
.content summary { cursor: pointer; overflow-wrap: anywhere; }
.content img { display: block; max-width: 14rem; max-height: 10rem; border-radius: 6px; margin: .25rem 0; }
.content a, .content code { overflow-wrap: anywhere; }
.more { font-size: .875rem; }
footer { padding-top: .5rem; padding-bottom: 2.5rem; font-size: .85rem; }
${PHONE} {
  header, main, footer, nav { padding-left: .9rem; padding-right: .9rem; }
  section { padding: 1rem .9rem; }
  h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
  .facts { grid-template-columns: 1fr 1fr; gap: .5rem; }
  .facts dd { font-size: 1.1rem; }
  .scroll { border: 0; overflow-x: hidden; max-height: none; }
  .long { max-height: 85vh; }
  table, caption, tbody, tr, tbody th, td { display: block; }
  .t, .w, .with .t, .with .w, .with .c { min-width: 0; max-width: none; }
  thead { position: absolute; left: -100rem; }
  caption { padding: .25rem 0 .5rem; }
  tr { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 .6rem; padding: .35rem .7rem; }
  tbody th, td { border: 0; padding: .15rem 0; overflow-wrap: anywhere; }
  tbody th, tbody th.n { text-align: left; font-weight: 600; font-size: 1rem; }
  td.n, td { display: flex; justify-content: space-between; gap: 1rem; text-align: right; white-space: normal; }
  td::before { color: var(--quiet); text-align: left; flex: none; max-width: 50%; }
  td.w { display: block; text-align: left; }
  td.w::before { display: block; max-width: none; }
  td.e { display: none; }
}
@media print {
  :root { --page: #fff; color-scheme: light; }
  body { font-size: 10.5pt; }
  header, main, footer { max-width: none; padding: 0; }
  nav, .skip { display: none; }
  section { border: 0; padding: 0; margin-bottom: 1.5rem; }
  h2 { break-after: avoid; }
  figure, tr, .facts div { break-inside: avoid; }
  .charts { columns: 2; }
  .scroll { max-height: none; overflow: visible; border: 0; }
  table { font-size: 8.5pt; }
  th, td { padding: .2rem .4rem; }
  .t { min-width: 0; }
  .w { min-width: 18rem; }
  thead th { position: static; }
  th button { display: contents; }
  th button::after { content: ""; }
}
`;
