/** What the table's rows mean. */
export const NOTES = [
  'Times are medians: a turn over spans of ten turns within its tenth, kills and starts over five.',
  'Written: of a PutItem all names and values of its item, of an UpdateItem the names and values that it sets, by DynamoDB rules.',
  'Store operations are counted between functions and tables: the most that any turn made, and how that turn was made up.',
  "Over the long run they are the host's own count, with the start of the run and the switch to its next segment.",
  'Peak memory is the sum of what each process ever had; pages that they share, about 55 MiB of Node itself, count in each.',
  'A worker is killed in mid-call; of the time until the next step the state machine waits 1 s. A killed host is started again at once.',
  'Import: from the start of the import of a bundle to its end, in a new process: a part of every cold start; the median of five.',
];

/** What the peer's column means. */
export const PEER_NOTE =
  "LangGraph.js 1.7.3 with SqliteSaver 1.0.4, durability 'sync' and its default message state (an experimental one stores deltas), the same\n" +
  'texts, model and tool in its process. Its bytes are checkpoints, metadata and writes without keys; its operations are calls of the\n' +
  'checkpointer. Commits of its SQLite, in WAL mode, survive a kill and not a power cut, as ours. It records no effects: a call that was\n' +
  'cut off runs again.';
