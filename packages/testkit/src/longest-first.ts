import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Small files that take a minute or more each: in a fresh clone, where only file sizes are known, they would run last
 * while most of the machine is idle.
 */
const LONGEST = [
  '/xds-grpc/src/under-load.full.test.ts',
  '/shield/src/soak.full.test.ts',
  '/screens/project-screens.test.ts',
  '/screens/fleet-screens.test.ts',
  '/screens/settings-screens.test.ts',
];

/** The order of vitest, with the longest tests first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((path) => moduleId.endsWith(path));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
