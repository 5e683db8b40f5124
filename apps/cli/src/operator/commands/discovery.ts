import { serviceRoutes } from '@flotilla/contract';
import { act, type Verb } from '../nouns/verb.ts';
import { services } from './lookups.ts';

/** Turns the recording of a service's requests on or off. */
export const DISCOVERY: Verb = act(
  {
    help: 'turn API discovery of a service on or off: its listeners then record their requests for the inventory',
    inputs: [
      { flags: '<name>', lookup: services },
      { flags: '<state>', choices: ['on', 'off'] },
    ],
  },
  async ({ scope: { connection, project }, id, name }, { state }: { state: 'on' | 'off' }) => {
    const { body } = await connection.call(serviceRoutes.patch, {
      params: { service_id: id('name') },
      query: { project },
      body: { api_discovery: state === 'on' },
    });
    return { json: body, text: `services/${name('name')}: API discovery is ${state}` };
  },
);
