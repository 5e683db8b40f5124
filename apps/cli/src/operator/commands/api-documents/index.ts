import {
  apiDocumentReportRoutes,
  apiDocumentRoutes,
  type CallInput,
  type CallOutput,
  type RouteContract,
} from '@flotilla/contract';
import { EXIT } from '../../exit-codes.ts';
import { openGivenFile } from '../../given-file.ts';
import { pipeResponse, saveNewFile } from '../../new-file.ts';
import type { Input } from '../../nouns/inputs.ts';
import type { Noun } from '../../nouns/noun.ts';
import { act, get, idAs, list, send, type Verb } from '../../nouns/verb.ts';
import { renderTable } from '../../output.ts';
import { DRY_RUN, FILE, LIMIT, NAME, QUERY } from '../inputs.ts';
import { createCheckCommand } from './check.ts';
import { BREAKING, DIFFERENCES, DOCUMENTS, describeScope, VERSIONS } from './columns.ts';
import { DAYS, DOCUMENT, KIND, OUT, SCOPE } from './inputs.ts';

const NUMBER = { flags: '<number>', help: 'number of a version', to: 'number' } as const;

export const API_DOCUMENTS: Noun = {
  help: 'OpenAPI documents of the APIs, and how the traffic differs from them',
  place: 'project',
  verbs: {
    list: list(apiDocumentRoutes.list, { inputs: [QUERY, LIMIT], columns: DOCUMENTS }),
    get: get(apiDocumentRoutes.get, { inputs: [DOCUMENT] }),
    import: createImportCommand(),
    'set-scope': createScopeCommand(),
    'preview-scope': get(apiDocumentReportRoutes.previewScope, {
      inputs: [DAYS, ...SCOPE],
      text: ({ matched, operation_count: all, samples }) =>
        [
          `${matched} of ${all} operations are in the scope.`,
          ...samples.map(({ method, host, path }) => `  ${method} ${host}${path}`),
        ].join('\n'),
    }),
    delete: send(apiDocumentRoutes.delete, {
      inputs: [DOCUMENT, DRY_RUN],
      json: idAs('deleted', 'document'),
      text: (_, { name }) => `API document ${name('document')} deleted.`,
    }),
    versions: list(apiDocumentRoutes.versions, { inputs: [DOCUMENT, LIMIT], columns: VERSIONS }),
    'delete-version': send(apiDocumentRoutes.deleteVersion, {
      inputs: [DOCUMENT, NUMBER, DRY_RUN],
      json: (_, { values }) => ({ deleted: values.number }),
      text: (_, { name, values }) => `Version ${values.number} of ${name('document')} deleted.`,
    }),
    download: createDownload(apiDocumentRoutes.text, 'the file of a version as it was imported', [DOCUMENT, NUMBER]),
    differences: list(apiDocumentReportRoutes.differences, {
      inputs: [
        { ...DOCUMENT, flags: '--document <document>' },
        { flags: '--version <number>', help: 'instead of the current one; with --document', to: 'number' },
        KIND,
        DAYS,
        QUERY,
        LIMIT,
      ],
      columns: DIFFERENCES,
    }),
    check: createCheckCommand(),
    patch: createDownload(apiDocumentReportRoutes.patch, 'what the document lacks, as a fragment of OpenAPI', [
      DOCUMENT,
      DAYS,
      { flags: '--format <format>', help: 'yaml by default', to: 'format' },
    ]),
    breaking: createBreakingCommand(),
  },
};

function createImportCommand(): Verb {
  return act(
    {
      help: 'import a file; a known name gets a new version',
      route: apiDocumentRoutes.import,
      inputs: [NAME, FILE, ...SCOPE, DRY_RUN],
    },
    async ({ reach: { connection }, request }, { file }: { file: string }) => {
      const query = request.query as CallInput<typeof apiDocumentRoutes.import>['query'];
      const { body } = await connection.call(apiDocumentRoutes.import, { query, file: await openGivenFile(file) });
      return { json: body, text: describeImport(body), note: describeWarnings(body) };
    },
  );
}

function describeImport({ name, version, scope }: CallOutput<typeof apiDocumentRoutes.import>): string {
  return `API document ${name} has version ${version.number} with ${version.operation_count} operations. Scope: ${describeScope(scope)}.`;
}

function describeWarnings({ version }: CallOutput<typeof apiDocumentRoutes.import>): string | undefined {
  if (version.warnings.length === 0) return undefined;
  return version.warnings.map(({ field, message }) => `Warning: ${field}: ${message}`).join('\n');
}

/** Options that are left out come from the servers of the document again. */
function createScopeCommand(): Verb {
  return act(
    {
      help: 'set the listener, hosts and paths of a document; what is left out comes from its servers',
      inputs: [
        { ...DOCUMENT, to: undefined },
        { flags: '--listener <name>', help: 'exact name of a listener' },
        { flags: '--host <host>', help: 'with its subdomains', isList: true },
        { flags: '--path <path>', help: 'with everything below it', isList: true },
        { flags: '--dry-run', help: 'check and change nothing' },
      ],
    },
    async ({ scope: { connection, project }, id }, options: ScopeOptions) => {
      const { body } = await connection.call(apiDocumentRoutes.setScope, {
        params: { document_id: id('document') },
        query: { project, ...(options.dryRun && { dry_run: 'true' as const }) },
        body: {
          listener_name: options.listener ?? '',
          host_prefixes: options.host ?? null,
          path_prefixes: options.path ?? null,
        },
      });
      return { json: body, text: `The scope of ${body.name} is ${describeScope(body.scope)}.` };
    },
  );
}

interface ScopeOptions {
  readonly listener?: string;
  readonly host?: string[];
  readonly path?: string[];
  readonly dryRun?: boolean;
}

function createBreakingCommand(): Verb {
  return act(
    {
      help: 'changes between two versions that break clients; exits with 10 if there are some',
      route: apiDocumentReportRoutes.breakingChanges,
      inputs: [
        DOCUMENT,
        { flags: '--from <number>', help: 'older version; the one before by default', to: 'from_number' },
        { flags: '--to <number>', help: 'newer version; the current one by default', to: 'to_number' },
      ],
    },
    async ({ reach: { connection }, request }) => {
      const route = apiDocumentReportRoutes.breakingChanges;
      const { body } = await connection.call(route, request as CallInput<typeof route>);
      const { items, omitted, from_number: from, to_number: to, added_operations: added } = body;
      const head = `Version ${from} to ${to}: ${items.length + omitted} breaking changes, ${added} operations added.`;
      const text = items.length === 0 ? head : `${head}\n\n${renderTable(BREAKING, items)}`;
      return { json: body, text, exit: items.length > 0 ? EXIT.differs : EXIT.ok };
    },
  );
}

function createDownload<R extends RouteContract>(route: R, help: string, inputs: readonly Input[]): Verb {
  return act(
    { help, route: route as RouteContract, isRaw: true, inputs: [...inputs, OUT] },
    async ({ io, reach, request }, { out }: { out?: string }) => {
      const answer = await reach.connection.open(route, request as CallInput<R>);
      if (out === undefined) await pipeResponse(io, answer, { to: io.stdout });
      else await saveNewFile(io, answer, out);
      return EXIT.ok;
    },
  );
}
