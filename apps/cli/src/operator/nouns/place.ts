import type { Command } from 'commander';
import type { ProgramIo } from '../../programs.ts';
import {
  openReach,
  openScope,
  type Reach,
  type ReachOptions,
  withConnection,
  withProject,
} from '../commands/scope-options.ts';
import { Connection } from '../connection.ts';

/**
 * Scope of a command.
 *
 * controller               the controller, without a project
 * project                  one project
 * project or all           one project or, with --all-projects, all of them
 * project or installation  one project or, with --installation, the installation
 */
export type Place = 'controller' | 'project' | 'project or all' | 'project or installation';

interface PlaceRule {
  declare(command: Command): Command;
  open(io: ProgramIo, options: ReachOptions): Promise<Reach>;
}

export const PLACES: Readonly<Record<Place, PlaceRule>> = {
  controller: {
    declare: withConnection,
    open: async (io, options) => ({ connection: await Connection.open(io, options) }),
  },
  project: { declare: withProject, open: openScope },
  'project or all': {
    declare: (command) =>
      withProject(command).option(
        '--all-projects',
        'all projects and what belongs to none; for owners of the installation',
      ),
    open: openReach,
  },
  'project or installation': {
    declare: (command) => withProject(command).option('--installation', 'the installation instead of a project'),
    open: openReach,
  },
};
