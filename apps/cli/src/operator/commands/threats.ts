import { type CallOutput, GEOIP_KINDS, geoipRoutes, threatIntelRoutes } from '@flotilla/contract';
import { ifMatch } from '../apply/change.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { openGivenFile } from '../given-file.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { readRows } from '../nouns/rows.ts';
import { act, idAs, list, send, type Verb } from '../nouns/verb.ts';
import { age } from '../output.ts';
import { FILE } from './inputs.ts';
import { readSecret } from './read-secret.ts';

const FEED = {
  flags: '<feed>',
  to: 'name',
  lookup: createLookup(threatIntelRoutes.list, {
    one: 'feed',
    rows: ({ feeds }: Feeds) => feeds,
    name: ({ name }) => name,
  }),
} as const;

type Feeds = CallOutput<typeof threatIntelRoutes.list>;

/** Admins of a project change its feeds. A project without feeds uses those of the installation. */
export const THREAT_FEEDS: Noun = {
  help: 'lists of addresses that attacks come from: list, get, upload, on, off, delete',
  place: 'project or installation',
  verbs: {
    list: list(threatIntelRoutes.list, {
      help: 'the feeds, without their entries',
      rows: ({ feeds }: Feeds) => feeds,
      columns: {
        feed: 'name',
        on: 'enabled',
        entries: 'entry_count',
        uploaded: age('uploaded_at'),
        by: 'uploaded_by',
      },
    }),
    get: act(
      { help: 'the entries of a feed, one per line', inputs: [{ ...FEED, to: undefined }] },
      async ({ reach, name }) => {
        const params = { name: name('feed') };
        const entries = await readRows(reach, threatIntelRoutes.get, { params, rows: (body) => body.entries });
        const json = { name: params.name, entries };
        return entries.length === 0 ? { json, note: 'Nothing found.' } : { json, text: entries.join('\n') };
      },
    ),
    upload: act(
      {
        help: 'create or replace a feed from a file: an address or a network per line, # begins a comment',
        inputs: [{ flags: '<name>' }, FILE],
      },
      async ({ reach: { connection, project } }, { name, file }: { name: string; file: string }) => {
        const { body } = await connection.call(threatIntelRoutes.upload, {
          query: { name, project },
          file: await openGivenFile(file),
        });
        const skipped =
          body.skipped === 0 ? '' : `; ${body.skipped} lines are skipped: ${body.skipped_lines.join(', ')}`;
        return { json: body, text: `Feed ${name} has ${body.feed.entry_count} entries${skipped}` };
      },
    ),
    on: createSwitch('on', 'use a feed'),
    off: createSwitch('off', 'stop using a feed; its entries stay'),
    delete: send(threatIntelRoutes.delete, {
      inputs: [FEED],
      json: idAs('deleted', 'feed'),
      text: (_, { name }) => `Feed ${name('feed')} deleted.`,
    }),
  },
};

/** Writes all feeds at once. If-Match protects a feed that was changed meanwhile. */
function createSwitch(word: 'on' | 'off', help: string): Verb {
  return act(
    { help, inputs: [{ ...FEED, to: undefined }] },
    async ({ reach: { connection, project }, name: nameOf }) => {
      const name = nameOf('feed');
      const { body, etag } = await connection.call(threatIntelRoutes.list, { query: { project } });
      if (project !== undefined && body.project === null)
        throw new CliFailure(
          EXIT.notFound,
          'The project has no feeds of its own. See: flotilla threat-feeds list --installation',
        );
      if (!body.feeds.some((feed) => feed.name === name))
        throw new CliFailure(EXIT.notFound, `There is no feed ${name}.`);
      const feeds = body.feeds.map((feed) => (feed.name === name ? { ...feed, enabled: word === 'on' } : feed));
      const request = { query: { project }, body: { feeds }, headers: ifMatch(etag) };
      const { body: json } = await connection.call(threatIntelRoutes.replace, request);
      return { json, text: `Feed ${name} is ${word}.` };
    },
  );
}

type Database = CallOutput<typeof geoipRoutes.list>['databases'][number];
type Kind = Database['kind'];

const DATABASE = { flags: '<database>', to: 'kind' } as const;

const describeUse = ({ database_type: type, built_at: at }: { database_type: string; built_at: string }) =>
  `${type} of ${at} is in use.`;

/** Databases that filters use to find the country and network of an address. */
export const GEOIP: Noun = {
  help: 'databases of places and networks: list, upload, download, delete',
  place: 'project or installation',
  verbs: {
    list: list(geoipRoutes.list, {
      help: 'the databases, and when each was built',
      rows: ({ databases }: CallOutput<typeof geoipRoutes.list>) => databases,
      columns: {
        database: 'kind',
        of: (row) => (row.present ? (row.project === null ? 'installation' : 'project') : null),
        is: (row) => (row.present ? row.database_type : null),
        built: (row) => (row.present ? row.built_at : null),
        bytes: (row) => (row.present ? row.size : null),
        by: (row) => (row.present ? row.uploaded_by : null),
      },
    }),
    upload: act(
      {
        help: 'replace a database with a file in the format of MaxMind (.mmdb)',
        inputs: [{ flags: '<database>', choices: GEOIP_KINDS }, FILE],
      },
      async ({ reach: { connection, project } }, { database: kind, file }: { database: Kind; file: string }) => {
        const request = { query: { kind, project }, file: await openGivenFile(file) };
        const { body } = await connection.call(geoipRoutes.upload, request);
        return { json: body, text: describeUse(body) };
      },
    ),
    download: act(
      {
        help: 'let the controller fetch a database of the installation; standard input holds its address, which may contain a key',
        place: 'controller',
        route: geoipRoutes.download,
        inputs: [
          DATABASE,
          { flags: '--sha256 <digest>', help: 'digest of the fetched file, in hex', to: 'sha256', isRequired: true },
        ],
      },
      async ({ io, reach: { connection } }, { database: kind, sha256 }: { database: Kind; sha256: string }) => {
        const body = { kind, sha256, url: await readSecret(io) };
        const answer = await connection.call(geoipRoutes.download, { query: {}, body });
        return { json: answer.body, text: describeUse(answer.body) };
      },
    ),
    delete: send(geoipRoutes.delete, {
      inputs: [DATABASE],
      json: idAs('deleted', 'database'),
      text: (_, { name }) => `Database ${name('database')} deleted.`,
    }),
  },
};
