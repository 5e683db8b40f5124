import { expect, it } from 'vitest';
import { readDocument } from '../document/read.ts';
import { createEnvoySource } from '../testing/envoy-source.ts';
import { hoverAt } from './hover.ts';
import { withTypes } from './types.ts';

const CLUSTER = 'envoy.config.cluster.v3.Cluster';

async function hover(text: string, word: string) {
  const source = await createEnvoySource();
  const tree = readDocument(text, 'json');
  return withTypes(source, (types) => hoverAt(CLUSTER, tree, text.indexOf(word) + 1, types));
}

it('a card shows the type, the rules and a link to the documentation', async () => {
  const card = await hover('{"load_assignment": {"endpoints": [{"priority": 5}]}}', 'priority');
  expect(card).toMatchObject({ title: 'priority', type: 'uint32', rules: ['At most 128'] });
  expect(card?.docsUrl).toMatch(/^https:.*#.*priority$/);
});

it('a card shows the version in which a field was deprecated', async () => {
  expect((await hover('{"max_requests_per_connection": 5}', 'max_requests'))?.deprecated).toMatch(/^Deprecated/);
});

it('a card of an enum lists its values', async () => {
  expect((await hover('{"lb_policy": "RANDOM"}', 'lb_policy'))?.rules.join()).toContain('LEAST_REQUEST');
});

it('there is no card outside the document', async () => {
  expect(await hover('{"nonsense": 1}', 'nonsense')).toBeUndefined();
  expect(await hover('  {}', ' ')).toBeUndefined();
});
