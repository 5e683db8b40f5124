import { clone } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';

/** Under three hours at the usual interval of 10 seconds, and about 1 KB each. */
const SAMPLES_MAX = 1000;

/** The newest samples of the host since the agent started, without the processes. */
export class SampleHistory {
  #samples: fleet.HostStats[] = [];

  add(sample: fleet.HostStats): void {
    const kept = clone(fleet.HostStatsSchema, sample);
    kept.processes = [];
    this.#samples.push(kept);
    if (this.#samples.length > SAMPLES_MAX) this.#samples.shift();
  }

  /** Returns the newest `count` samples, or fewer if there are fewer. The oldest is first. */
  newest(count: number): readonly fleet.HostStats[] {
    return count <= 0 ? [] : this.#samples.slice(-count);
  }
}
