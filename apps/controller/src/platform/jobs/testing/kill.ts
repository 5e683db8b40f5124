import type { Db, Tx } from '@flotilla/db';
import { JobTypes } from '../types.ts';
import type { NamedType } from './jobs.ts';

/** The moment at which a test worker kills itself, as if by `kill -9`. */
export type Moment =
  | 'before the claim'
  | 'before the step'
  | 'in the step'
  | 'after a spawn'
  | 'after its work'
  | 'before its end'
  | 'after its end';

export interface Kill {
  /** The last segment of the type's name. */
  readonly type: string;
  /** Counts the steps of this type that the worker runs, starting at 1. */
  readonly nth: number;
  readonly moment: Moment;
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // Blocks until the signal is delivered, so that nothing else runs.
  for (;;);
}

/** Kills the process when a worker with these types and this database reaches the moment. */
export class Killer {
  readonly #kill: Kill | undefined;
  /** The step whose end it waits for; after it, nothing more is claimed. */
  #ending: { readonly type: string; readonly step: string | undefined } | undefined;

  constructor(kill: Kill | undefined) {
    this.#kill = kill;
  }

  /** Job types that observe `all`, which each claim calls, and the steps. */
  createTypes(...cipher: ConstructorParameters<typeof JobTypes>): JobTypes {
    const claim = (): boolean => {
      if (this.#kill?.moment === 'before the claim') die();
      return this.#ending === undefined;
    };
    class WatchedTypes extends JobTypes {
      override all() {
        return claim() ? super.all() : [];
      }
    }
    return new WatchedTypes(...cipher);
  }

  watchType(type: NamedType): NamedType {
    if (!this.#kill || !type.type.endsWith(`.${this.#kill.type}`)) return type;
    let asked = 0;
    let runs = 0;
    const steps = type.steps.map((step): NamedType['steps'][0] => ({
      ...step,
      run: async (ctx) => {
        runs += 1;
        const nth = runs;
        this.#reach('in the step', nth);
        const result = await step.run({
          ...ctx,
          spawn: async (child, orders) => {
            const made = await ctx.spawn(child, orders);
            this.#reach('after a spawn', nth);
            return made;
          },
        });
        this.#reach('after its work', nth);
        if (nth === this.#kill?.nth) this.#ending = { type: type.type, step: type.isSmall ? undefined : step.name };
        return result;
      },
    }));
    return {
      ...type,
      steps: steps as unknown as NamedType['steps'],
      // Called right before each step.
      needs: () => {
        asked += 1;
        this.#reach('before the step', asked);
        return [];
      },
    };
  }

  /** The database with observed transactions. */
  watchDatabase(db: Db): Db {
    const transaction = () => ({
      execute: async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
        const result = await db.transaction().execute(async (tx) => {
          const inside = await work(tx);
          if (this.#kill?.moment === 'before its end' && (await this.#hasEnded(tx))) die();
          return inside;
        });
        if (this.#kill?.moment === 'after its end' && (await this.#hasEnded(db))) die();
        return result;
      },
    });
    return new Proxy(db, {
      get(target, key) {
        if (key === 'transaction') return transaction;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  #reach(moment: Moment, nth: number): void {
    if (this.#kill?.moment === moment && this.#kill.nth === nth) die();
  }

  async #hasEnded(db: Db | Tx): Promise<boolean> {
    if (!this.#ending) return false;
    const { type, step } = this.#ending;
    const jobs = db.selectFrom('jobs').select('jobs.id').where('type', '=', type);
    const ended =
      step === undefined
        ? jobs.where('jobs.ended_at', 'is not', null)
        : jobs
            .innerJoin('job_steps', 'job_steps.job_id', 'jobs.id')
            .where('job_steps.name', '=', step)
            .where('job_steps.status', '!=', 'running');
    return (await ended.execute()).length > 0;
  }
}
