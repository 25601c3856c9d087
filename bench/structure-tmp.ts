import { measureStructure, excesses } from './structure.ts';
for (const tool of ['read_text', 'write_text'] as const) { const s = await measureStructure(Number(process.argv[2] ?? 30), tool); console.log(s, excesses(s, tool)); }
