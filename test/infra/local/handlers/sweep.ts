/** Logs its event, and throws every second time. */
let sweeps = 0;

export async function handler(event: unknown) {
  sweeps += 1;
  console.log(JSON.stringify(event));
  if (sweeps % 2 === 0) throw new Error('swept too much');
}
