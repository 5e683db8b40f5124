import type { TestSequencer, TestSpecification, Vitest } from 'vitest/node';

interface WeighedFile {
  readonly file: TestSpecification;
  /** Milliseconds that it is expected to take. */
  readonly weight: number;
}

/**
 * Of projects that run together, each has its share of the workers from the beginning to the end, and starts its longest
 * files first: stories, which compute, fill the time in which tests of single programs wait.
 */
export class FileOrder implements TestSequencer {
  readonly #vitest: Vitest;

  constructor(vitest: Vitest) {
    this.#vitest = vitest;
  }

  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groups = Map.groupBy(files, ({ project }) => project.config.sequence.groupOrder);
    return [...groups]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([, group]) => {
        const lines = Map.groupBy(group, ({ project }) => project).values();
        return merge([...lines].map((line) => this.#longestFirst(line)));
      });
  }

  /** No machine has a part of the tests only. */
  async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }

  /** By the last run. What it knows nothing of comes first, and weighs as much as the others on average. */
  #longestFirst(files: readonly TestSpecification[]): WeighedFile[] {
    const durations = files.map((file) => this.#vitest.cache.getTestSpecificationResult(file)?.duration || undefined);
    const known = durations.filter((duration) => duration !== undefined);
    const mean = known.length === 0 ? 1 : sum(known, (duration) => duration) / known.length;
    return files
      .map((file, i) => ({ file, weight: durations[i] ?? mean, rank: durations[i] ?? Number.POSITIVE_INFINITY }))
      .toSorted((a, b) => (a.rank === b.rank ? 0 : b.rank - a.rank));
  }
}

/** At every moment about the same part of each line has gone. */
function merge(lines: readonly (readonly WeighedFile[])[]): TestSpecification[] {
  const places = lines.flatMap((line) => {
    const total = sum(line, ({ weight }) => weight);
    let gone = 0;
    return line.map(({ file, weight }) => {
      const place = gone / total;
      gone += weight;
      return { file, place };
    });
  });
  return places.toSorted((a, b) => a.place - b.place).map(({ file }) => file);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
