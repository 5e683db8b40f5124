import { type Rollout, rolloutRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import { type RolloutDeps, readRollout, toRevision } from './reader.ts';
import { SharedAnswers } from './shared-answers.ts';

export function createRolloutRoutes(deps: Omit<RolloutDeps, 'db'>): Route[] {
  // Grouped by project: with a thousand nodes an answer takes half a second of CPU, and every watcher asks every
  // second.
  const answers = new SharedAnswers<Rollout>();
  return [
    implement(rolloutRoutes.read, async (ctx, { query: { revision, ...asked } }) => {
      const { id: project, reader = '' } = ctx.project;
      const question = JSON.stringify([reader, asked.collection, asked.name, asked.version]);
      const newest = await answers.take(project, question, () => readRollout({ ...deps, db: ctx.db }, project, asked));
      return { body: toRevision(newest, revision) };
    }),
  ];
}
