import { startHost } from './local/host.ts';
import { rmSync } from 'node:fs';
rmSync('/tmp/hf-data2', {recursive:true, force:true});
const host = await startHost({ dataDir:'/tmp/hf-data2', port:0, handlers:'/work/main/test/infra/local/handlers', backoffMs: 5 });
const post=(p:string,b:any)=>fetch(host.url+p,{method:'POST',headers:{'content-type':'application/json'},body:JSON.stringify(b)}).then(async r=>[r.status, await r.text()]);
const get=(p:string)=>fetch(host.url+p).then(async r=>r.json());
const until=async(f:any)=>{for(;;){const v=await f(); if(v) return v; await new Promise(r=>setTimeout(r,50));}};
for (let i=0;i<4;i++){
  await post('/runs',{runId:'B'+i, script:[...Array(2000).fill('tools'),'end:completed']});
  await until(async()=>host.info().executions.find(e=>e.name.startsWith('B'+i))!.status!=='RUNNING');
  const before=process.memoryUsage(); (globalThis as any).gc?.(); const m=process.memoryUsage();
  console.log(i, 'rss',m.rss/1e6, 'heap', before.heapUsed/1e6, '->', m.heapUsed/1e6, 'ext', m.external/1e6, 'ab', m.arrayBuffers/1e6);
}
await host.stop();
