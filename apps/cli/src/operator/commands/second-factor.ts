import { secondFactorRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Runner } from './runner.ts';
import { openPlace, type PlaceOptions, withJson, withProject } from './scope-options.ts';

export const SECOND_FACTOR_MODES = ['required', 'optional'] as const;

export function addSecondFactorCommand(program: Command, runner: Runner): void {
  withJson(withProject(program.command('second-factor')))
    .description('whether members of the project need a second factor, from their next sign-in on')
    .argument('[mode]', `${SECOND_FACTOR_MODES.join(' or ')}; without it, what holds now`)
    .option('--installation', 'of everybody, instead of the members of a project')
    .action(
      runner.answer(async (text: string | undefined, options: PlaceOptions) => {
        const mode = SECOND_FACTOR_MODES.find((one) => one === text);
        if (text !== undefined && !mode)
          throw new CliFailure(EXIT.usage, `"${text}" is neither ${SECOND_FACTOR_MODES.join(' nor ')}`);
        const { connection, project } = await openPlace(runner.io, options);
        const { body } =
          mode === undefined
            ? await connection.call(secondFactorRoutes.getEnforcement, { query: { project } })
            : await connection.call(secondFactorRoutes.setEnforcement, {
                query: { project },
                body: { otp_enforced: mode === 'required' },
              });
        return { json: body, text: body.otp_enforced ? 'required' : 'optional' };
      }),
    );
}
