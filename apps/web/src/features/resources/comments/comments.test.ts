import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../forms/index.ts';
import { fromMergeText, isSameDraft, type ResourceDraft, toDraft, toMergeText } from '../draft-model.ts';
import { commentsOf, readComments, settleComments, yamlOf } from './index.ts';
import { writeYaml } from './yaml-comments.ts';

const TEXT = `# The upstream of the shop.

# As the service calls it.
name: shop # not shop-backend
# Slow at night.
connect_timeout: 1s
load_assignment:
  # By rack.
  endpoints:
    # Rack 4
    - priority: 0 # first choice
    # Rack 5
    - priority: 1
    # No rack 6 yet.
  # End of the assignment.
lb_policy: LEAST_REQUEST
# Ask the shop team.
`;

const resource = parse(TEXT) as JsonObject;
const typed: ResourceDraft = {
  resource,
  commented: { resource, text: TEXT, comments: readComments(TEXT) },
  description: '',
  labels: [],
};
const endpoints = (...priorities: number[]) => ({ endpoints: priorities.map((priority) => ({ priority })) });
const change = (next: JsonObject): ResourceDraft => ({ ...typed, resource: { ...resource, ...next } });
const words = (text: string) => (text.match(/#.*/g) ?? []).map((line) => line.slice(1).trim());

describe('comments of a YAML document', () => {
  it('stay unchanged when another view is opened and closed (screen bug 8)', () => {
    expect(yamlOf(typed)).toBe(TEXT);
    expect(yamlOf({ ...typed, resource: structuredClone(resource) })).toBe(TEXT);
  });

  it('stay in their places when the form edits, adds and deletes values (screen bug 8)', () => {
    expect(yamlOf(change({ connect_timeout: '2s' }))).toBe(TEXT.replace('1s', '2s'));
    const added = yamlOf(change({ alt_stat_name: 'x' }));
    expect(words(added)).toEqual(words(TEXT));
    expect(parse(added)).toEqual({ ...resource, alt_stat_name: 'x' });
    const { connect_timeout: _, ...rest } = resource;
    const removed = yamlOf({ ...typed, resource: rest as JsonObject });
    // A comment about a field is removed with it.
    expect(words(removed)).toEqual(words(TEXT).filter((word) => word !== 'Slow at night.'));
  });

  it.each([
    ['an item is appended', [0, 1, 2], ['Rack 4', 'Rack 5']],
    ['an item is inserted', [0, 7, 1], ['Rack 4', 'Rack 5']],
    ['an item is edited', [0, 9], ['Rack 4', 'Rack 5']],
    ['items change places', [1, 0], ['Rack 5', 'Rack 4']],
    ['an item is deleted', [0], ['Rack 4']],
  ])('stay with their items in a list when %s (screen bug 8)', (_, priorities, racks) => {
    const text = yamlOf(change({ load_assignment: endpoints(...priorities) }));
    expect(parse(text).load_assignment).toEqual(endpoints(...priorities));
    const after = (rack: string) => new RegExp(`# ${rack}\\n\\s*- priority: (\\d)`).exec(text)?.[1];
    const wanted = new Map([
      ['Rack 4', priorities.includes(0) ? '0' : undefined],
      ['Rack 5', priorities.includes(1) ? '1' : '9'],
    ]);
    for (const rack of racks) expect(after(rack), text).toBe(wanted.get(rack));
    expect(words(text).filter((word) => word.startsWith('Rack'))).toEqual(racks);
  });

  it('are restored from the stored document, each at its place (screen bug 8)', () => {
    const stored = toDraft({ resource, description: null, labels: {}, comments: readComments(TEXT) });
    expect(words(yamlOf(stored))).toEqual(words(TEXT));
    expect(commentsOf(stored)).toEqual(readComments(TEXT));
    expect(commentsOf(change({ connect_timeout: '5s' }))).toEqual(readComments(TEXT));
  });

  it('count as unsaved changes, and are merged like all others (screen bug 8)', () => {
    const stored = toDraft({ resource, description: null, labels: {} });
    expect(isSameDraft(stored, typed)).toBe(false);
    expect(isSameDraft(settleComments(typed), typed)).toBe(true);
    const merged = fromMergeText(toMergeText(settleComments(change({ connect_timeout: '3s' }))));
    expect(merged?.resource.connect_timeout).toBe('3s');
    expect(words(yamlOf(merged ?? typed))).toEqual(words(TEXT));
  });

  it('never change the values of any document (screen bug 8)', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const name = fc.string({ minLength: 1, maxLength: 6 });
    const object = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true });
    fc.assert(
      fc.property(object, object, fc.string({ minLength: 1 }), (before, after, word) => {
        const commented = {
          resource: before as JsonObject,
          comments: Object.keys(before).map((path) => ({ path: [path], place: 'above' as const, text: word })),
        };
        const draft = { resource: after as JsonObject, commented };
        expect(plain(parse(writeYaml(commented.resource, commented.comments)) ?? {})).toEqual(plain(before));
        expect(plain(parse(yamlOf(draft)) ?? {})).toEqual(plain(after));
      }),
      { numRuns: 300 },
    );
  });
});

/** Removes negative zero, which YAML has and JSON does not. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
