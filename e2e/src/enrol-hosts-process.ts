// Enrols hosts with a running controller and prints them. A process of its own: the screens are checked with the types of
// browsers, which those of the controller contradict.
import { enrolMany } from '@flotilla/controller/testing/enrol-many';

const [dataDir = '', masterKey = '', project = '', count = '0'] = process.argv.slice(2);
const hosts = await enrolMany({ dataDir, masterKey, projects: [project], count: Number(count) });
process.stdout.write(JSON.stringify(hosts));
