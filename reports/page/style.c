#include "reports/page/style.h"
#include <stddef.h>

/* Light and dark differ in the variables alone. In print everything is light and folded parts are
 * as they were left. */
const char *const f2l_page_style[] = {
    ":root{color-scheme:light dark;--bg:#fbfbfd;--card:#fff;--ink:#1c2230;--soft:#5c6579;"
    "--line:#dfe3ec;--accent:#2459d3;--ok:#0d7a4f;--okbg:#e3f5ec;--bad:#b3261e;--badbg:#fde8e6;"
    "--open:#8a5a00;--openbg:#fdf1d8;--p:#2459d3;--m:#d9620a;--back:#f2f4f9;--hot:#ffdf6b}\n",
    "@media (prefers-color-scheme:dark){:root{--bg:#12151c;--card:#1a1f29;--ink:#e6e9f0;"
    "--soft:#a0a9bb;--line:#313948;--accent:#8ab0ff;--ok:#5fd3a0;--okbg:#143528;--bad:#ff9a90;"
    "--badbg:#401c1a;--open:#f0c264;--openbg:#3b2e10;--p:#74a0ff;--m:#ff9b52;--back:#232937;"
    "--hot:#6b5300}}\n",
    "@media print{:root{color-scheme:light;--bg:#fff;--card:#fff;--ink:#000;--soft:#444;"
    "--line:#bbb;--accent:#000;--ok:#0d7a4f;--okbg:#fff;--bad:#b3261e;--badbg:#fff;--open:#8a5a00;"
    "--openbg:#fff;--p:#2459d3;--m:#d9620a;--back:#f4f4f4;--hot:#fff}"
    "section,figure,table{break-inside:avoid}"
    ".scroll,.chips{overflow:visible!important;max-height:none}"
    "nav{display:none}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0;background:var(--bg);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}\n",
    "main{max-width:1080px;margin:0 auto;padding:28px 20px 64px}\n",
    "h1{font-size:1.9rem;line-height:1.2;margin:.2em 0 .1em;overflow-wrap:anywhere}\n",
    "h2{font-size:1.25rem;margin:0 0 .6em}\n", "h3{font-size:1rem;margin:1.4em 0 .5em}\n",
    "h4{font-size:.85rem;margin:1.2em 0 .4em;color:var(--soft);font-weight:600}\n",
    "p{margin:.5em 0;overflow-wrap:anywhere}\n",
    ".kind{margin:0;color:var(--soft);font-size:.85rem;letter-spacing:.04em}\n",
    "section{background:var(--card);border:1px solid var(--line);border-radius:12px;"
    "padding:20px 22px;margin:18px 0}\n",
    ".hero{border-radius:12px;padding:16px 20px;margin:16px 0;border:1px solid;}\n",
    ".hero p{margin:.25em 0;color:var(--ink)}\n", ".hero strong{font-size:1.25rem}\n",
    ".hero.ok,.verdict.ok{color:var(--ok);background:var(--okbg)}\n",
    ".hero.bad,.verdict.bad{color:var(--bad);background:var(--badbg)}\n",
    ".hero.open,.verdict.open{color:var(--open);background:var(--openbg)}\n",
    ".verdict{display:inline-block;padding:0 .55em;border-radius:99px;font-size:.82rem;"
    "font-weight:600;white-space:nowrap}\n",
    ".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(112px,1fr));gap:10px;"
    "margin:16px 0}\n",
    ".tiles div{background:var(--card);border:1px solid var(--line);border-radius:10px;"
    "padding:10px 12px}\n",
    ".tiles b{display:block;font-size:1.35rem;line-height:1.2;font-variant-numeric:tabular-nums}\n",
    ".tiles span{color:var(--soft);font-size:.8rem}\n",
    "nav{font-size:.88rem;margin:12px 0;display:flex;flex-wrap:wrap;gap:4px 16px}\n",
    "a{color:var(--accent)}\n", ".note,figcaption,caption{color:var(--soft);font-size:.85rem}\n",
    "caption{text-align:left;padding:0 0 .4em}\n", "figure{margin:14px 0}\n",
    "figure.wide>.scroll{padding:4px 0 8px}\n",
    /* Shadows at the ends of what can be scrolled, which covers lie over at the ends. */
    ".scroll{overflow-x:auto;max-width:100%;background:"
    "linear-gradient(90deg,var(--card) 30%,transparent) local,"
    "linear-gradient(270deg,var(--card) 30%,transparent) 100% 0 local,"
    "linear-gradient(90deg,var(--line),transparent) scroll,"
    "linear-gradient(270deg,var(--line),transparent) 100% 0 scroll;background-repeat:no-repeat;"
    "background-size:40px 100%,40px 100%,14px 100%,14px 100%}\n",
    "table{border-collapse:collapse;font-size:.88rem;margin:6px 0;font-variant-numeric:"
    "tabular-nums}\n",
    "th,td{padding:.32em .8em .32em 0;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}\n",
    "thead th{color:var(--soft);font-weight:600}\n", "tbody th{font-weight:500}\n",
    "pre{background:var(--back);border-radius:8px;padding:12px 14px;overflow-x:auto;"
    "font-size:.84rem;line-height:1.5}\n",
    "details{margin:12px 0}\n", "summary{cursor:pointer;color:var(--accent);font-weight:500}\n",
    "svg{display:block;overflow:visible}\n",
    "svg.graph,svg.chart,svg.map{max-width:100%;height:auto;color:var(--ink)}\n",
    "svg.graph{margin:0 auto;text-anchor:middle}\n", "svg.chart text{fill:currentColor}\n",
    /* A text hides the lines behind it; of two rings the outer one would hide the inner. */
    ".graph text{fill:var(--ink);font-family:inherit;paint-order:stroke;stroke:var(--card);"
    "stroke-width:3px;stroke-linejoin:round}\n",
    ".graph .node text{stroke:none}\n",
    ".graph .node ellipse,.graph .node path,.graph .node polygon{fill:var(--back);"
    "stroke:var(--soft)}\n",
    ".graph .accepting ellipse,.graph .accepting path{fill:var(--okbg);stroke:var(--ok)}\n",
    ".graph .accepting ellipse+ellipse,.graph .accepting path+path{fill:none}\n",
    ".graph .begin ellipse,.graph .dot{fill:var(--soft);stroke:none}\n",
    ".graph .edge path{fill:none;stroke:var(--k,var(--soft));stroke-width:1.3}\n",
    ".graph .edge polygon{fill:var(--k,var(--soft));stroke:var(--k,var(--soft))}\n",
    ".graph .edge text{fill:var(--k,var(--ink))}\n",
    ".graph .edge.rest text,.sign.rest{font-style:italic}\n",
    ".graph .edge.faint path,.graph .edge.faint polygon{opacity:.35}\n",
    ".graph .edge.faint text{fill:var(--soft)}\n",
    ".graph .edge.hot path{stroke-width:3;opacity:1}\n", ".graph .edge.hot polygon{opacity:1}\n",
    ".graph .edge.hot text{font-weight:700}\n", ".map text{font-size:10.5px;fill:var(--soft)}\n",
    ".map .row{text-anchor:end}\n", ".map .cells{shape-rendering:crispEdges}\n",
    ".legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;padding:0;margin:8px 0;"
    "color:var(--soft);font-size:.85rem}\n",
    ".legend li{display:flex;align-items:center;gap:6px;overflow-wrap:anywhere}\n",
    ".legend svg{flex:none}\n", "span.sign{flex:none;color:var(--ink);font-size:.8rem}\n",
    ".swatch{width:14px;height:14px;border-radius:3px;flex:none}\n",
    ".ramp{width:120px;height:12px;border-radius:3px;flex:none}\n",
    ".chips{display:flex;flex-wrap:wrap;gap:6px;margin:.8em 0;padding:3px;max-height:12em;"
    "overflow-y:auto}\n",
    ".chip{font:inherit;font-size:.82rem;color:var(--ink);background:var(--back);border:1px solid "
    "var(--k,var(--line));border-radius:99px;padding:1px 11px;cursor:pointer}\n",
    ".chip[class*=\" k\"]::before{content:\"\";display:inline-block;width:.6em;height:.6em;"
    "border-radius:99px;background:var(--k);margin-right:.45em}\n",
    ".chip.hot,.chip[aria-pressed=true]{background:var(--hot);border-color:var(--accent)}\n",
    ":focus-visible{outline:2px solid var(--accent);outline-offset:2px}\n",
    ".cards{display:flex;flex-wrap:wrap;gap:10px}\n",
    ".card{margin:0;border:1px solid var(--line);border-radius:10px;padding:8px 12px 10px;"
    "transition:opacity .12s}\n",
    ".card>div{display:flex;gap:12px;align-items:center;margin-top:6px}\n",
    ".card figcaption{max-width:220px;overflow-wrap:anywhere;color:var(--ink)}\n",
    ".card.hot{border-color:var(--accent);box-shadow:0 0 0 2px var(--accent)}\n",
    "body.some .card:not(.hot){opacity:.4}\n",
    "body.edges .graph:not(.sign) .edge:not(.hot){opacity:.3}\n",
    "svg.heat .back{fill:var(--back)}\n", "svg .p,.key .p{fill:var(--p);color:var(--p)}\n",
    "svg .m,.key .m{fill:var(--m);color:var(--m)}\n", "svg.heat{shape-rendering:crispEdges}\n",
    ".key{color:var(--soft);font-size:.85rem}\n",
    /* Colours of letters, in which their names are written: with a contrast of 4.5 to the page. */
    ".k0{--k:#2461d6}.k1{--k:#b84a00}.k2{--k:#0b756a}.k3{--k:#ab2a84}.k4{--k:#6b4be0}"
    ".k5{--k:#846400}.k6{--k:#c4263f}.k7{--k:#2f7526}\n",
    "@media screen and (prefers-color-scheme:dark){.k0{--k:#7eaaff}.k1{--k:#ff9b52}"
    ".k2{--k:#3fc4b4}.k3{--k:#ee82cc}.k4{--k:#b09dff}.k5{--k:#d8b23a}.k6{--k:#ff8593}"
    ".k7{--k:#7cc46e}}\n",
    "svg .rim{fill:none;stroke:var(--soft);stroke-width:.025}\n",
    "svg .ev{fill:var(--accent);fill-opacity:.75}\n",
    ".flow{list-style:none;display:flex;flex-wrap:wrap;gap:8px 26px;padding:0;margin:12px 0}\n",
    ".flow li{position:relative;border:1px solid var(--line);border-radius:10px;padding:8px 12px;"
    "background:var(--back);font-size:.82rem;line-height:1.4;min-width:112px}\n",
    ".flow li b{display:block;font-size:.9rem}\n",
    ".flow li+li::before{content:\"\\2192\";position:absolute;left:-20px;top:34%;"
    "color:var(--soft)}\n",
    "@media (max-width:560px){main{padding:16px 12px 40px}section{padding:14px 14px}"
    "h1{font-size:1.5rem}}\n",
    NULL};

/* A letter that is pointed at, focused or pressed highlights everything of its class, p0-l3,
 * the edges of most letters, p0-most, that do not say p0-not3, and the cards whose data-l has it. A
 * graph that is wider than the page is moved to its start. */
const char *const f2l_page_script[] = {
    "(function(){\n",
    "var held=null;\n",
    "function all(l){return(l||'').split(' ').filter(Boolean).flatMap(function(c){"
    "var m=c.match(/^(.*-l)(\\d+)-(\\d+)$/),r=[];if(!m)return[c];"
    "for(var i=+m[2];i<=+m[3];i++)r.push(m[1]+i);return r;});}\n",
    "function heat(e){e.classList.add('hot');}\n",
    "function show(list){var met=all(list);\n",
    "document.querySelectorAll('.hot').forEach(function(e){e.classList.remove('hot');});\n",
    "met.forEach(function(c){\n",
    "document.querySelectorAll('.'+c+','+c.replace(/(.*)-l(.*)/,'.$1-most:not(.$1-not$2)'))"
    ".forEach(heat);});\n",
    "document.querySelectorAll('.card').forEach(function(e){"
    "if(all(e.dataset.l).some(function(c){return met.indexOf(c)>=0;}))heat(e);});\n",
    "document.body.classList.toggle('some',!!list);\n",
    "document.body.classList.toggle('edges',!!document.querySelector('.edge.hot'));\n",
    "}\n",
    "function of(e){var t=e.target&&e.target.closest?e.target.closest('[data-l]'):null;"
    "return t;}\n",
    "['mouseover','focusin'].forEach(function(n){document.addEventListener(n,function(e){"
    "var t=of(e);if(t)show(t.dataset.l);});});\n",
    "['mouseout','focusout'].forEach(function(n){document.addEventListener(n,function(e){"
    "if(of(e))show(held);});});\n",
    "document.addEventListener('click',function(e){var t=of(e);\n",
    "if(!t||!t.classList.contains('chip'))return;\n",
    "held=held===t.dataset.l?null:t.dataset.l;\n",
    "document.querySelectorAll('.chip').forEach(function(c){"
    "c.setAttribute('aria-pressed',String(held===c.dataset.l));});\n",
    "show(held);});\n",
    "document.addEventListener('keydown',function(e){if(e.key==='Escape'){held=null;show(null);"
    "document.querySelectorAll('.chip').forEach(function(c){"
    "c.setAttribute('aria-pressed','false');});}});\n",
    "document.querySelectorAll('.scroll .begin').forEach(function(e){"
    "var s=e.closest('.scroll');if(e.tagName==='g'&&e.classList.contains('node'))"
    "s.scrollLeft+=e.getBoundingClientRect().x-s.getBoundingClientRect().x-s.clientWidth/3;});\n",
    "})();\n",
    NULL};
