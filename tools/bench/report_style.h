// This header has the look of the HTML report: light, dark, paper, phone. Colours are custom properties, so that the plots
// follow.
#pragma once

namespace vkonnx::bench {

inline constexpr char report_style[] = R"css(
:root { color-scheme: light dark; --ink: #1b2126; --soft: #5d666e; --faint: #8b949c; --line: #e1e5e9; --page: #f7f8fa; --card: #fff;
  --track: #edf0f3; --a: #2563c9; --b: #c2570c; --bad: #b42318; --bad-back: #fdeceb; --good: #18794e; --roof: #3d464e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e9ecef; --soft: #9ea7af; --faint: #727c85; --line: #2a3138; --page: #0f1215; --card: #161a1e; --track: #232a30;
    --a: #6da5ff; --b: #f5a05c; --bad: #ff8f85; --bad-back: #371613; --good: #56c596; --roof: #c3cad1; } }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --faint: #666; --line: #ccc; --page: #fff; --card: #fff; --track: #eee;
    --a: #2563c9; --b: #c2570c; --bad: #b42318; --bad-back: #fdeceb; --good: #18794e; --roof: #333; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  -webkit-text-size-adjust: 100%; }
main { max-width: 72rem; margin: 0 auto; padding: 2.25rem 1.5rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.75rem 0 .25rem; letter-spacing: -.005em; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
p { margin: 0; }
code, .mono { font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.kicker { color: var(--soft); font-size: .82rem; font-weight: 600; letter-spacing: .06em; margin-bottom: .3rem; }
.soft, .lead { color: var(--soft); }
.lead { margin: 0 0 .9rem; max-width: 48rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; }
.pair { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.a { --series: var(--a); } .b { --series: var(--b); }
.letter { display: inline-block; min-width: 1.5em; text-align: center; border-radius: .3em; background: var(--series); color: var(--card);
  font-size: .85em; font-weight: 700; margin-right: .5em; padding: 0 .3em; }

.device { padding: 1.15rem 1.3rem 1.25rem; margin-top: 1.25rem; }
.pair .device { margin-top: 0; }
.device > p { margin-top: .15rem; overflow-wrap: anywhere; }
.marks { display: flex; flex-wrap: wrap; gap: .4rem; margin-top: .7rem; }
.marks span { font-size: .8rem; line-height: 1.6; padding: 0 .6rem; border-radius: 1rem; background: var(--track); color: var(--soft); }
.marks .bad { background: var(--bad-back); color: var(--bad); font-weight: 600; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.2rem, 1fr)); gap: 1rem 1.25rem; margin: 1.1rem 0 0; }
.tiles dt { color: var(--soft); font-size: .82rem; }
.tiles dd { margin: 0; font-size: 1.35rem; font-weight: 600; line-height: 1.3; font-variant-numeric: tabular-nums; white-space: nowrap; }
.tiles dd small { font-size: .62em; font-weight: 500; color: var(--soft); margin-left: .25em; }
.sum { padding: .9rem 1.3rem; margin-top: 1rem; }
.sum p + p { margin-top: .3rem; color: var(--soft); font-size: .92em; }
.errors { padding: .9rem 1.3rem; background: var(--bad-back); border-color: transparent; }
.errors li { margin: .2rem 0; overflow-wrap: anywhere; } .errors ul { margin: 0; padding-left: 1.1rem; }

.plot { padding: .9rem 1rem .6rem; } .plot h3 { margin: .1rem .2rem .5rem; }
.roofline { display: block; width: 100%; height: auto; font-family: inherit; }
.narrow { display: none; }
.roofline .grid { stroke: var(--line); } .roofline .axis { stroke: var(--faint); }
.roofline .roof { stroke: var(--roof); stroke-width: 2; stroke-linecap: round; }
.roofline text { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
.roofline text.roof { stroke: none; fill: var(--ink); font-weight: 600; } .roofline text.label { fill: var(--ink); }
.roofline .leader { stroke: var(--faint); stroke-width: .8; }
.roofline .point { fill: var(--series); fill-opacity: .85; stroke: var(--card); stroke-width: 1.2; }
.roofline .point:hover { fill-opacity: 1; stroke: var(--ink); stroke-width: 2; }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; color: var(--soft); font-size: .84rem; padding: .2rem .3rem .3rem; }
.key svg { width: 11px; height: 11px; margin-right: .4em; fill: var(--soft); vertical-align: -1px; }

.bars { padding: .4rem 1.2rem 1rem; }
.bars h3 { font-size: .88rem; color: var(--soft); font-weight: 600; padding: .95rem 0 .3rem; }
.bar { display: grid; grid-template-columns: 2.1rem minmax(8rem, 21rem) 1fr 4.2rem 5.6rem; gap: 0 .75rem; align-items: center;
  padding: .16rem 0; break-inside: avoid; }
.bar .no, td.no { color: var(--faint); font-size: .84em; text-align: right; font-variant-numeric: tabular-nums; }
.bar .name { display: flex; gap: .7em; align-items: baseline; min-width: 0; line-height: 1.35; overflow-wrap: anywhere; }
.bar .name small { color: var(--soft); flex: 1; min-width: 3rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lines { display: grid; gap: 3px; }
.track { display: block; background: var(--track); border-radius: 3px; height: .62rem; overflow: hidden; print-color-adjust: exact;
  -webkit-print-color-adjust: exact; }
.track i { display: block; height: 100%; min-width: 2px; border-radius: 3px; background: var(--series); }
.lines.two .track { height: .5rem; }
.log .track { background-image: repeating-linear-gradient(90deg, transparent 0 calc(var(--decade) - 1px), var(--card) calc(var(--decade) - 1px)
  var(--decade)); }
.scale { padding-top: .8rem; } .scale .lines { grid-column: 3; position: relative; height: 1.2rem; color: var(--faint); font-size: .78rem; }
.scale .lines span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.scale .lines span:first-child { transform: none; } .scale .lines span:last-child { transform: translateX(-100%); }
.value { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; line-height: 1.3; } .value b { font-weight: 600; }
.two .value, .value.two { font-size: .86em; line-height: 1.2; } .value span { display: block; }

.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { padding: .38rem .7rem; text-align: left; border-top: 1px solid var(--line); vertical-align: baseline; }
thead th { border-top: 0; color: var(--soft); font-weight: 600; font-size: .82rem; white-space: nowrap; vertical-align: bottom; }
thead tr + tr th { padding-top: 0; } thead th.group { text-align: center; color: var(--ink); }
tbody tr:hover > * { background: color-mix(in srgb, var(--track) 55%, transparent); }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.n i { font-style: normal; color: var(--soft); display: inline-block; width: 1.75em; padding-left: .3em; text-align: left; }
td code { overflow-wrap: normal; white-space: nowrap; } td.case { font-weight: 600; overflow-wrap: anywhere; min-width: 7.5rem; } td.case small { font-weight: 400; color: var(--soft); margin-left: .7em; }
td.faster, td.slower, td.same { white-space: nowrap; }
td.bad { color: var(--bad); } td.faster { color: var(--good); } td.slower { color: var(--bad); } td.same { color: var(--soft); }
.context { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.4rem; margin: 0; padding: 1.05rem 1.3rem; font-size: .9rem; }
.context dt { color: var(--soft); } .context dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.notes { color: var(--soft); font-size: .9rem; } .notes p { margin: .5rem 0 0; max-width: 52rem; }

@media (max-width: 44rem) {
  main { padding: 1.4rem .9rem 3rem; } h1 { font-size: 1.35rem; }
  .wide { display: none; } .narrow { display: block; }
  .plot { padding: .8rem .5rem .4rem; } .bars { padding: .2rem .9rem .9rem; } .device, .sum, .errors { padding-left: 1rem; padding-right: 1rem; }
  .bar { grid-template-columns: 1.5rem minmax(0, 1fr) auto 4.9rem; padding: .3rem 0; }
  .bar .lines { grid-row: 2; grid-column: 2 / 5; margin-top: .2rem; }
  .bar.scale .lines { grid-row: 1; }
  .context { grid-template-columns: 1fr; gap: 0; } .context dd { margin-bottom: .5rem; }
  .scroll td.case { position: sticky; left: 0; background: var(--card); max-width: 9.5rem; }
  td.case small { display: block; margin: 0; }
  th, td { padding: .38rem .55rem; } td.no, th.no { display: none; } }
@media print {
  @page { margin: 13mm; }
  body { font-size: 9.5pt; } main { max-width: none; padding: 0; }
  .wide { display: block; } .narrow { display: none; }
  .scroll { overflow: visible; } table { font-size: 7.4pt; } th, td { padding: .2rem .28rem; } td.n i { width: auto; padding-left: .2em; }
  thead { display: table-header-group; } tr, .plot, .device, .sum { break-inside: avoid; } h2, h3, .lead { break-after: avoid; }
  .pair { grid-template-columns: 1fr 1fr; } .tiles { grid-template-columns: repeat(auto-fit, minmax(6.4rem, 1fr)); }
  h2 { margin-top: 1.6rem; } .marks span, .letter, .roofline { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)css";

}  // namespace vkonnx::bench
