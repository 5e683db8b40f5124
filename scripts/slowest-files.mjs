const SHOWN_MAX = 10;

/** Prints the files that took longest, for the next person who wants the tests to end sooner. */
export default class SlowestFiles {
  #files = [];

  onTestModuleEnd(module) {
    const { duration, collectDuration } = module.diagnostic();
    this.#files.push({ name: module.relativeModuleId, seconds: (duration + collectDuration) / 1000 });
  }

  onTestRunEnd() {
    const slowest = this.#files.toSorted((one, other) => other.seconds - one.seconds).slice(0, SHOWN_MAX);
    console.log('\nSlowest files:');
    for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
  }
}
