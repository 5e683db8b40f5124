import { type ZoneSecretView, zoneSecretRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { note, print, printJson } from '../output.ts';
import type { Scope } from '../records.ts';
import { parseLengthS } from './moment.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface ZoneOptions extends CommonOptions {
  readonly overlap?: string;
}

/** Secrets with which the DNS servers of a zone sign their requests. */
export function addZoneCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const zones = program.command('zones').description('secrets of the DNS zones of the project');

  withJson(withProject(zones.command('list')))
    .description('zones and which of their secrets hold, without the secrets')
    .action(
      runner.list(
        () => [
          { title: 'zone', value: (row: ZoneSecretView) => row.zone },
          { title: 'key', value: (row: ZoneSecretView) => row.secrets[0]?.key_id },
          { title: 'begins with', value: (row: ZoneSecretView) => row.secrets[0]?.prefix },
          { title: 'since', value: (row: ZoneSecretView) => row.secrets[0]?.created_at },
          { title: 'old one ends', value: (row: ZoneSecretView) => row.secrets[1]?.expires_at },
          { title: 'made by', value: (row: ZoneSecretView) => row.created_by },
        ],
        async (options: ZoneOptions) => await listZoneSecrets(await openScope(io, options)),
      ),
    );

  withJson(withProject(zones.command('get')))
    .description('one zone and which of its secrets hold, without the secrets')
    .argument('<zone>')
    .action(
      runner.show(async (zone: string, options: ZoneOptions) => {
        const { connection, project } = await openScope(io, options);
        return (await connection.call(zoneSecretRoutes.get, { params: { zone }, query: { project } })).body;
      }),
    );

  withJson(withProject(zones.command('create')))
    .description('make a secret for a zone; key and secret go to standard output, this once')
    .argument('<zone>', 'a DNS name, such as lb.example.com')
    .action(
      runner.action(async (zone: string, options: ZoneOptions) => {
        const { connection, project } = await openScope(io, options);
        const { body } = await connection.call(zoneSecretRoutes.create, { query: { project }, body: { zone } });
        if (options.json) printJson(io, body);
        else {
          note(io, `Key and secret of zone ${body.zone}, shown this once:`);
          print(io, `${body.key_id} ${body.secret}`);
        }
        return EXIT.ok;
      }),
    );

  withJson(withProject(zones.command('rotate')))
    .description('give a zone a new secret; key and secret go to standard output, this once')
    .argument('<zone>')
    .option('--overlap <time>', 'the old secret still works for so long, such as 1h; 1d unless told', '1d')
    .action(
      runner.action(async (zone: string, options: ZoneOptions) => {
        const overlap = parseLengthS(options.overlap ?? '');
        const { connection, project } = await openScope(io, options);
        const { body } = await connection.call(zoneSecretRoutes.rotate, {
          params: { zone },
          query: { project },
          body: { overlap_s: overlap },
        });
        if (options.json) printJson(io, body);
        else {
          const end = body.secrets[1]?.expires_at;
          note(io, `New key and secret of zone ${body.zone}. The old one ${end ? `ends ${end}` : 'has ended'}.`);
          print(io, `${body.key_id} ${body.secret}`);
        }
        return EXIT.ok;
      }),
    );

  withJson(withProject(zones.command('end')))
    .description('end all secrets of a zone: what is signed with them is refused')
    .argument('<zone>')
    .action(
      runner.answer(async (zone: string, options: ZoneOptions) => {
        const { connection, project } = await openScope(io, options);
        await connection.call(zoneSecretRoutes.delete, { params: { zone }, query: { project } });
        return { json: { ended: zone }, text: `The secrets of zone ${zone} have ended.` };
      }),
    );
}

export async function listZoneSecrets({ connection, project }: Scope): Promise<readonly ZoneSecretView[]> {
  return (await connection.call(zoneSecretRoutes.list, { query: { project } })).body.items;
}
