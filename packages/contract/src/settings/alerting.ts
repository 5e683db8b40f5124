import * as z from 'zod';
import { defineSettings } from './define.ts';

/** Limits of the alert channels of all projects. */
export const ALERTING_SETTINGS = defineSettings({
  key: 'alerting',
  title: 'Alert delivery',
  scope: 'installation',
  area: 'connections',
  whenRefused: { allowed_networks: [] },
  schema: z.strictObject({
    /**
     * Private networks to which the webhooks of projects may send. Webhooks may always send to public addresses, and never to the
     * addresses at which clouds report the identity of a host.
     */
    allowed_networks: z
      .array(z.union([z.cidrv4(), z.cidrv6()], 'a network such as 10.20.0.0/16'))
      .max(64)
      .default([]),
  }),
});
