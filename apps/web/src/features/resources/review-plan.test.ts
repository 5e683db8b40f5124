import type { DocumentComment } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { toDraft } from './draft-model.ts';
import { type PlannedWrite, toReviewPlan } from './review-plan.ts';

const COMMENT: DocumentComment = { path: ['connect_timeout'], place: 'above', text: ' Ask first.' };
const content = (timeout: string) => ({
  resource: { name: 'shop', connect_timeout: timeout },
  description: null,
  labels: {},
  comments: [COMMENT],
});
const planned = {
  dry_run: true,
  document: content('7s'),
  diff: [{ path: 'resource.connect_timeout', change: 'changed', before: '5s', after: '7s' }],
  nodes: [],
  services: [],
} as unknown as PlannedWrite;
const before = { draft: toDraft(content('5s')), revision: 3 };

describe('the review of a document', () => {
  it('shows JSON to a user who edits JSON', async () => {
    const { change } = await toReviewPlan(planned, before, 'json');
    expect(change.text).toEqual({
      before: '{\n  "name": "shop",\n  "connect_timeout": "5s"\n}\n',
      after: '{\n  "name": "shop",\n  "connect_timeout": "7s"\n}\n',
      language: 'json',
      beforeLabel: 'Revision 3',
      members: ['resource'],
    });
  });

  it.each(['yaml', undefined])('shows YAML with its comments in the view %s', async (view) => {
    const { change } = await toReviewPlan(planned, before, view);
    expect(change.text).toMatchObject({
      before: 'name: shop\n# Ask first.\nconnect_timeout: 5s\n',
      after: 'name: shop\n# Ask first.\nconnect_timeout: 7s\n',
      language: 'yaml',
      members: ['resource', 'comments'],
    });
  });

  it('shows everything as new if the document did not exist', async () => {
    const { change } = await toReviewPlan(planned, undefined, 'yaml');
    expect(change.text).toMatchObject({ before: '', beforeLabel: 'Nothing' });
  });

  it('shows JSON if YAML would take seconds', async () => {
    const long = { ...planned, document: { ...content('7s'), resource: { name: 'x'.repeat(200_000) } } };
    const { change } = await toReviewPlan(long as unknown as PlannedWrite, before, 'yaml');
    expect(change.text?.language).toBe('json');
  });
});
