import { answer, getRun } from './run.ts';

/** Shows a run, or for other routes the event itself. */
export const handler = async (event: { routeKey: string; pathParameters: { id: string } }) =>
  event.routeKey === 'GET /runs/{id}' ? answer(200, await getRun(event.pathParameters.id)) : event;
