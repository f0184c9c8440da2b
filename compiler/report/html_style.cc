#include "compiler/report/html_parts.h"

namespace berth::report {

const char kHtmlStyle[] = R"css(
:root{color-scheme:light dark;--page:#fbfbf9;--card:#fff;--ink:#1d2430;--dim:#646c7a;--line:#dfe1e6;
--r0:#7fb069;--r1:#d9a441;--r2:#6d9dc5;--r3:#c8553d;--r4:#e08e79;--r5:#9a86c9;--r6:#8d99ae;--mark:#b3261e;--glow:#fff2c9}
@media(prefers-color-scheme:dark){:root{--page:#14171c;--card:#1b1f26;--ink:#e4e7ec;--dim:#98a1b0;--line:#333a45;
--r0:#5f8f4c;--r1:#a97c26;--r2:#47769f;--r3:#a5432f;--r4:#a9604f;--r5:#72609f;--r6:#616c80;--mark:#ff8a80;--glow:#453f2a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:14px/1.45 system-ui,"Segoe UI","DejaVu Sans",sans-serif}
main{max-width:1680px;margin:0 auto;padding:18px 22px 40px}
h1{font-size:20px;margin:0 0 2px}h2{font-size:17px;margin:26px 0 4px}h3{font-size:13px;margin:0 0 6px;color:var(--dim);
font-weight:600;text-transform:uppercase;letter-spacing:.04em}
p{margin:2px 0}.dim{color:var(--dim)}.bad{color:var(--mark)}
.row{display:grid;grid-template-columns:minmax(0,1fr);gap:16px;margin-top:12px}
@media(min-width:1180px){.row{grid-template-columns:minmax(0,2.1fr) minmax(0,1fr)}}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;margin-bottom:16px;overflow-x:auto}
.scroll{overflow-x:auto}
svg.map{display:block;width:100%;height:auto;min-width:640px}
svg.map text{font-size:11px;fill:var(--ink);font-family:inherit}
svg .tick{fill:var(--dim)}svg .e{text-anchor:end}svg .m{text-anchor:middle}svg .s{text-anchor:start}
svg .name{text-anchor:middle;pointer-events:none}svg .level{font-weight:600;pointer-events:none;paint-order:stroke;
stroke:var(--card);stroke-width:3px}
.grid{stroke:var(--line);fill:none}.planned{stroke:var(--ink);fill:none;stroke-width:1.5}
.bound{stroke:var(--mark);fill:none;stroke-width:1.5;stroke-dasharray:6 4}.capacity{stroke:var(--dim);fill:none;stroke-dasharray:2 3}
.peak{fill:var(--glow)}.moment{stroke:var(--mark);fill:none;stroke-width:1;stroke-dasharray:2 3;pointer-events:none}
.b{stroke:var(--card);stroke-width:1;fill-opacity:.92}.b:hover,.b.on{stroke:var(--ink);stroke-width:2;fill-opacity:1}
.r0{fill:var(--r0)}.r1{fill:var(--r1)}.r2{fill:var(--r2)}.r3{fill:var(--r3)}.r4{fill:var(--r4)}.r5{fill:var(--r5)}.r6{fill:var(--r6)}
.key{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:5px;vertical-align:-1px}
i.r0{background:var(--r0)}i.r1{background:var(--r1)}i.r2{background:var(--r2)}i.r3{background:var(--r3)}i.r4{background:var(--r4)}
i.r5{background:var(--r5)}i.r6{background:var(--r6)}
.legend{display:flex;flex-wrap:wrap;gap:2px 16px;margin:4px 0 6px;font-size:12px}
table{border-collapse:collapse;width:100%;font-size:12.5px;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:600;color:var(--dim);border-bottom:1px solid var(--line);padding:2px 8px 3px 0;white-space:nowrap}
td{padding:2px 8px 2px 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere;vertical-align:top}
td.n,th.n{text-align:right;white-space:nowrap}td.w{white-space:nowrap}tr.on td{background:var(--glow)}
details{margin-top:8px}summary{cursor:pointer;color:var(--dim)}
.zoom{float:right;font-size:12px}.zoom button{font:inherit;color:inherit;background:none;border:1px solid var(--line);border-radius:4px;
padding:0 7px;margin-left:3px;cursor:pointer}
#tip{position:fixed;display:none;max-width:420px;background:var(--card);color:var(--ink);border:1px solid var(--dim);border-radius:6px;
padding:5px 9px;font-size:12.5px;pointer-events:none;z-index:9;box-shadow:0 2px 10px #0004;white-space:pre-line}
)css";

// The page is whole without it: it makes words of the pictures' titles follow the pointer, ties
// rows to shapes, and stretches the time axis.
const char kHtmlScript[] = R"js(
(function(){
var tip=document.createElement('div');tip.id='tip';document.body.appendChild(tip);
document.querySelectorAll('section').forEach(function(s){
 var words={},rows=s.querySelectorAll('tr[data-k]');
 s.querySelectorAll('[data-b] title').forEach(function(t){words[t.parentNode.dataset.b]=t.textContent;t.remove()});
 function light(b){s.querySelectorAll('.on').forEach(function(e){e.classList.remove('on')});
  if(b!=null)s.querySelectorAll('[data-b="'+b+'"],tr[data-r="'+b+'"]').forEach(function(e){e.classList.add('on')})}
 s.querySelectorAll('svg.map').forEach(function(m){
  m.addEventListener('pointermove',function(e){
   var b=e.target.dataset?e.target.dataset.b:null,r=m.getBoundingClientRect(),d=m.dataset,
    k=Math.floor(((e.clientX-r.left)/r.width*m.viewBox.baseVal.width-d.left)/d.plot*d.steps),row=rows[k],t=b!=null?words[b]:'';
   light(b);
   if(row)t+=(t?'\n':'')+'at '+row.cells[0].textContent+' '+row.cells[1].textContent+': '+row.cells[2+ +d.pool].textContent+' bytes live';
   tip.textContent=t;tip.style.display=t?'block':'none';
   tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-8)+'px';
   tip.style.top=Math.min(e.clientY+14,innerHeight-tip.offsetHeight-8)+'px'});
  m.addEventListener('pointerleave',function(){light(null);tip.style.display='none'})});
 s.querySelectorAll('tr[data-r]').forEach(function(r){
  r.addEventListener('pointerenter',function(){light(r.dataset.r)});
  r.addEventListener('pointerleave',function(){light(null)})});
 s.querySelectorAll('.zoom').forEach(function(z){[1,2,4,8].forEach(function(f){
  var b=document.createElement('button');b.textContent=f+'x';
  b.onclick=function(){z.parentNode.querySelector('svg.map').style.width=100*f+'%'};z.appendChild(b)})});
});
})();
)js";

}  // namespace berth::report
