import { type CleanUpPreview, cleanUpRoutes } from '@flotilla/contract';
import { EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, idAs, list, send } from '../nouns/verb.ts';
import { age, printable } from '../output.ts';
import { DRY_RUN } from './inputs.ts';

const VERSION = { flags: '<version>', help: 'such as 1.36.4', to: 'version' } as const;
const MODE = { flags: '--mode <mode>', to: 'mode', default: 'all' } as const;
const CLEAN_UP = {
  flags: '<clean-up>',
  to: 'clean_up_id',
  lookup: createLookup(cleanUpRoutes.list, { one: 'clean-up', name: ({ id }) => id }),
} as const;

export const CLEAN_UP_COMMANDS: Noun = {
  help: 'delete what a project has for a retired proxy version',
  place: 'project',
  verbs: {
    preview: act(
      {
        help: 'what would be deleted, and what prevents it; changes nothing',
        route: cleanUpRoutes.preview,
        inputs: [VERSION, MODE],
      },
      async ({ scope: { connection }, request }) => {
        const { body } = await connection.call(cleanUpRoutes.preview, request as never);
        return { json: body, text: describe(body), exit: body.blocked_by.length === 0 ? EXIT.ok : EXIT.conflict };
      },
    ),
    apply: send(cleanUpRoutes.run, {
      help: 'delete what the preview shows, all of it or nothing; a restore point is created first',
      inputs: [
        VERSION,
        MODE,
        {
          flags: '--digest <digest>',
          help: 'digest of the preview: delete exactly what it has shown, or nothing',
          to: 'digest',
        },
        DRY_RUN,
      ],
      text: ({ total, clean_up: id, kept_until: until }, { name, values }) => {
        if (values.dryRun) return `Would be deleted: ${countDocuments(total)}.`;
        if (id === null) return `There is nothing of ${name('version')} to delete.`;
        return `Deleted: ${countDocuments(total)}. Until ${until} you can undo this with: flotilla cleanup undo ${id}`;
      },
    }),
    list: list(cleanUpRoutes.list, {
      help: 'clean-ups that can still be undone',
      columns: {
        id: 'id',
        version: 'version',
        documents: 'total',
        deleted: age('cleaned_at'),
        by: 'cleaned_by',
        'kept until': 'kept_until',
      },
    }),
    undo: send(cleanUpRoutes.undo, {
      help: 'restore what a clean-up deleted, with its revisions: all of it or nothing',
      inputs: [CLEAN_UP],
      text: ({ total, version }) => `Restored: ${countDocuments(total)} of ${version}.`,
    }),
    purge: send(cleanUpRoutes.purge, {
      help: 'make a clean-up final before its time is over',
      inputs: [CLEAN_UP],
      json: idAs('purged', 'clean-up'),
      text: (_, { name }) => `Clean-up ${name('clean-up')} can no longer be undone.`,
    }),
  },
};

function countDocuments(count: number): string {
  return count === 1 ? '1 document' : `${count} documents`;
}

function describe({ version, mode, counts, names, total, blocked_by, digest }: CleanUpPreview): string {
  return [
    ...Object.entries(counts).map(([collection, count]) => {
      const listed = names[collection] ?? [];
      const more = count > listed.length ? `, and ${count - listed.length} more` : '';
      return printable(`deletes ${count} ${collection}: ${listed.join(', ')}${more}`);
    }),
    ...blocked_by.map(({ kind, name, reason }) => printable(`blocked by: ${name} (${kind}) ${reason}`)),
    ...(total === 0 ? [`There is nothing of ${version} to delete.`] : []),
    ...(total > 0 && blocked_by.length === 0
      ? [`Delete it with: flotilla cleanup apply ${version} --mode ${mode} --digest ${digest}`]
      : []),
  ].join('\n');
}
