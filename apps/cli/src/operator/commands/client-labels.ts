import { type ClientLabel, clientRoutes, findLabelProblem, parseLabel } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { act, list, type Verb } from '../nouns/verb.ts';
import { renderTable } from '../output.ts';
import { clients } from './lookups.ts';

/** Reads `KEY=VALUE`, once for each label. */
export function readLabels(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const { key, value } = parseLabel(text);
      if (value === undefined) throw new CliFailure(EXIT.usage, `"${text}" is not KEY=VALUE`);
      return [requireLabel(key, value), value];
    }),
  );
}

/** Reads `KEY=VALUE`, which sets a label, and `KEY-`, which removes it. */
function readChanges(texts: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    texts.map((text) => {
      if (text.includes('=')) return Object.entries(readLabels([text]))[0] ?? [];
      if (!text.endsWith('-')) throw new CliFailure(EXIT.usage, `"${text}" is neither KEY=VALUE nor KEY-`);
      return [requireLabel(text.slice(0, -1), ''), null];
    }),
  );
}

function requireLabel(key: string, value: string): string {
  const problem = findLabelProblem(key, value);
  if (problem !== undefined) throw new CliFailure(EXIT.usage, `Not a label: ${problem}`);
  return key;
}

export const LABEL: Verb = act(
  {
    help: 'set and remove labels of a client; the others stay',
    route: clientRoutes.setLabels,
    inputs: [
      { flags: '<name>', lookup: clients },
      { flags: '<changes...>', help: 'KEY=VALUE sets a label, KEY- removes it', isList: true },
    ],
  },
  async ({ scope, id }, { changes }: { changes: readonly string[] }) => {
    const { body } = await scope.connection.call(clientRoutes.setLabels, {
      params: { client_id: id('name') },
      query: { project: scope.project },
      body: { labels: readChanges(changes) },
    });
    return { json: body, text: describeLabels(body.labels) };
  },
);

export const LABELS: Verb = list(clientRoutes.listLabels, {
  help: 'labels of the clients, those of the most clients first',
  columns: { label: ({ key, value }) => `${key}=${value}`, clients: 'clients' },
});

function describeLabels(labels: readonly ClientLabel[]): string {
  if (labels.length === 0) return 'The client has no labels.';
  return renderTable<ClientLabel>(
    { key: 'key', value: 'value', origin: 'origin', 'set by': 'set_by', 'set at': 'set_at' },
    labels,
  );
}
