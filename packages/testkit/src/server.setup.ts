import { holdTestServer } from './database.ts';

export default holdTestServer;
