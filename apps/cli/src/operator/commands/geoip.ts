import { type CallOutput, GEOIP_KINDS, type GeoipKind, geoipRoutes } from '@flotilla/contract';
import { Argument, type Command } from 'commander';
import { Connection } from '../connection.ts';
import { openGivenFile } from '../given-file.ts';
import { readSecret } from './read-secret.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withConnection, withJson, withProject } from './scope-options.ts';

interface DownloadOptions extends CommonOptions {
  readonly sha256?: string;
}

type Database = CallOutput<typeof geoipRoutes.list>['databases'][number];

/** What filters know of addresses by: places and networks. Changed by owners of the installation. */
export function addGeoipCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const geoip = program
    .command('geoip')
    .description('databases of places and networks: list, upload, download, delete');

  withJson(withProject(geoip.command('list')))
    .description('which databases there are, and from when')
    .action(
      runner.list(
        () => COLUMNS,
        async (options: CommonOptions) => {
          const { connection, project } = await openScope(io, options);
          return (await connection.call(geoipRoutes.list, { query: { project } })).body.databases;
        },
      ),
    );

  withKind(geoip.command('upload'))
    .description('replace a database by a file in the format of MaxMind (.mmdb)')
    .argument('<file>')
    .action(
      runner.answer(async (kind: GeoipKind, file: string, options: CommonOptions) => {
        const given = await openGivenFile(file);
        const connection = await Connection.open(io, options);
        const { body } = await connection.call(geoipRoutes.upload, { query: { kind }, file: given });
        return { json: body, text: `${body.database_type} of ${body.built_at} is in use.` };
      }),
    );

  withKind(geoip.command('download'))
    .description('have the controller fetch a database; its address, which may hold a key, comes from standard input')
    .requiredOption('--sha256 <digest>', 'of the file as it is fetched, in hex')
    .action(
      runner.answer(async (kind: GeoipKind, options: DownloadOptions) => {
        const connection = await Connection.open(io, options);
        const body = { kind, url: await readSecret(io), sha256: options.sha256 ?? '' };
        const { body: file } = await connection.call(geoipRoutes.download, { query: {}, body });
        return { json: file, text: `${file.database_type} of ${file.built_at} is in use.` };
      }),
    );

  withKind(geoip.command('delete'))
    .description('delete a database')
    .action(
      runner.answer(async (kind: GeoipKind, options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        await connection.call(geoipRoutes.delete, { params: { kind }, query: {} });
        return { json: { deleted: kind }, text: `Database ${kind} deleted.` };
      }),
    );
}

function withKind(command: Command): Command {
  return withJson(withConnection(command)).addArgument(new Argument('<database>').choices([...GEOIP_KINDS]));
}

const COLUMNS = [
  { title: 'database', value: (row: Database) => row.kind },
  { title: 'is', value: (row: Database) => (row.present ? row.database_type : null) },
  { title: 'built', value: (row: Database) => (row.present ? row.built_at : null) },
  { title: 'bytes', value: (row: Database) => (row.present ? row.size : null) },
  { title: 'by', value: (row: Database) => (row.present ? row.uploaded_by : null) },
];
