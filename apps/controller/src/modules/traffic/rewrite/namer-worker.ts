import { parentPort, workerData } from 'node:worker_threads';
import { restoreLearned } from '@flotilla/collector';
import { OperatorRules, Renamer, RouteNames, TemplateIndex } from '@flotilla/inventory';
import type { FromNamer, NamerData, ToNamer } from './messages.ts';

// Entry of the thread that `namer.ts` starts: what was learned of a large project takes seconds to read.
const { rules, routes, templates, learned } = workerData as NamerData;
const compiled = OperatorRules.compile(rules);
const renamer = new Renamer({
  routes: new RouteNames(routes),
  rules: compiled.ok ? compiled.rules : undefined,
  openApi: new TemplateIndex(templates),
  learner: restoreLearned(learned),
});

parentPort?.on('message', ({ id, operations }: ToNamer) => {
  const renamings = operations.map((operation) => renamer.rename(operation));
  parentPort?.postMessage({ id, renamings } satisfies FromNamer);
});
