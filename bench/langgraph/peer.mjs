// The benchmark's agent on LangGraph.js with its SQLite checkpointer: a process that runs one thread and reports over IPC.
// usage: node peer.mjs <database> <turns> [<turns of a warm-up thread>]
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { replyText, resultText } from '../load.ts';

const [database, turns, warmUp = 0] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const begun = [];
const saver = SqliteSaver.fromConnString(database);
const calls = countCalls(saver, ['put', 'putWrites', 'getTuple']);
const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', askModel)
  .addNode('tools', runTools)
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }) => (messages.at(-1).tool_calls.length > 0 ? 'tools' : END), ['tools', END])
  .addEdge('tools', 'model')
  .compile({ checkpointer: saver });

process.send({ ready: true });
if (turns === 0) process.exit();
if (warmUp > 0) await run('warm-up', warmUp);
begun.length = 0;
const before = { ...calls };
await run('measured', turns);
saver.db.pragma('wal_checkpoint(TRUNCATE)');
const each = Object.fromEntries(Object.entries(calls).map(([name, count]) => [name, (count - before[name]) / turns]));
process.send({ begun, calls: each, bytes: bytesByTurn(), peakKiB: process.resourceUsage().maxRSS });
process.disconnect();

/** Runs a thread to its end, from where an earlier process left it. */
async function run(thread, count) {
  const config = { configurable: { thread_id: thread, count }, recursionLimit: 2 * count + 10, durability: 'sync' };
  const { config: known } = await graph.getState(config);
  await graph.invoke(known?.configurable?.checkpoint_id ? null : { messages: [new HumanMessage('Make one call a turn.')] }, config);
}

function askModel({ messages }, { configurable }) {
  const turn = (messages.length - 1) / 2;
  begun.push(performance.now());
  if (turn >= configurable.count) return { messages: [new AIMessage('Done.')] };
  const call = { id: `call_${turn}`, name: 'read_text', args: { turn }, type: 'tool_call' };
  return { messages: [new AIMessage({ content: replyText(turn), tool_calls: [call] })] };
}

function runTools({ messages }) {
  const [{ id, args }] = messages.at(-1).tool_calls;
  return { messages: [new ToolMessage({ tool_call_id: id, content: resultText(args.turn) })] };
}

/** Counts calls of the checkpointer, and reports each checkpoint that is written. */
function countCalls(counted, names) {
  const counts = Object.fromEntries(names.map((name) => [name, 0]));
  for (const name of names) {
    const inner = counted[name].bind(counted);
    counted[name] = async (...given) => {
      counts[name] += 1;
      const result = await inner(...given);
      if (name === 'put') process.send({ step: counts.put, at: Date.now() });
      return result;
    };
  }
  return counts;
}

/** Bytes that each turn added: its two checkpoints with their metadata and writes, without keys. */
function bytesByTurn() {
  const sql = `SELECT length(checkpoint) + length(metadata) + (SELECT coalesce(sum(length(value)), 0) FROM writes
    WHERE writes.thread_id = checkpoints.thread_id AND writes.checkpoint_id = checkpoints.checkpoint_id) AS bytes
    FROM checkpoints WHERE thread_id = 'measured' ORDER BY checkpoint_id`;
  const steps = saver.db.prepare(sql).all().slice(1);
  return Array.from({ length: Math.min(turns, steps.length >> 1) }, (_, turn) => steps[2 * turn].bytes + steps[2 * turn + 1].bytes);
}
