import * as z from 'zod';
import { timeSchema } from '../schemas.ts';
import { trafficReadFields } from './traffic-event-answers.ts';

export const TRAFFIC_GRADES = ['A', 'B', 'C', 'D', 'F'] as const;
export const TRAFFIC_PILLARS = [
  'auth_coverage',
  'transport_security',
  'risk_exposure',
  'attack_surface',
  'threat_activity',
] as const;
export type TrafficPillar = (typeof TRAFFIC_PILLARS)[number];

/** Findings that lower a pillar. */
export const TRAFFIC_SCORE_FINDINGS = [
  'anonymous_writes',
  'weak_transport',
  'high_risk_requests',
  'critical_requests',
  'external_operations',
  'sensitive_operations',
  'threat_intel_hits',
  'scanners_and_bots',
] as const;

export const trafficScorePillarSchema = z.object({
  key: z.enum(TRAFFIC_PILLARS),
  label: z.string(),
  /** 0 to 100. Null: too little was seen, see `missing`. */
  score: z.number().int().nullable(),
  grade: z.enum(TRAFFIC_GRADES).nullable(),
  /** Its part of the total, 0 to 1: pillars without a score leave theirs to the others. */
  weight: z.number(),
  summary: z.string(),
  /** Why it has no score; else null. */
  missing: z.string().nullable(),
  /** Changes that would raise it, most points first. */
  raises: z.array(
    z.object({
      finding: z.enum(TRAFFIC_SCORE_FINDINGS),
      text: z.string(),
      /** Operations or requests, by the finding. */
      count: z.number(),
      /** Points that the pillar and the total gain if nothing of it is left. */
      gain: z.number(),
      total_gain: z.number(),
      /** Filters of the lists of requests that show it. */
      filter: z.record(z.string(), z.array(z.string())),
    }),
  ),
});

export const trafficScoreSchema = z.object({
  ...trafficReadFields,
  /** 0 to 100. Null: no request, or no pillar has a score. */
  score: z.number().int().nullable(),
  grade: z.enum([...TRAFFIC_GRADES, 'N/A']),
  computed_at: timeSchema,
  pillars: z.array(trafficScorePillarSchema),
  totals: z.object({ operations: z.number(), events: z.number(), requests: z.number() }),
});
export type TrafficScore = z.infer<typeof trafficScoreSchema>;
export type TrafficScorePillar = z.infer<typeof trafficScorePillarSchema>;
