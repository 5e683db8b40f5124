import * as z from 'zod';
import { defineSettings } from './define.ts';

/** Limits of the connections that the settings of projects cause: to webhooks of alerts and to clouds. */
export const OUTGOING_SETTINGS = defineSettings({
  key: 'outgoing',
  title: 'Outgoing connections',
  scope: 'installation',
  area: 'connections',
  whenRefused: { allowed_networks: [] },
  schema: z.strictObject({
    /**
     * Private networks to which projects may connect. Public addresses are always allowed, and the addresses at which
     * clouds report the identity of a host never are.
     */
    allowed_networks: z
      .array(z.union([z.cidrv4(), z.cidrv6()], 'a network such as 10.20.0.0/16'))
      .max(64)
      .default([]),
  }),
});
