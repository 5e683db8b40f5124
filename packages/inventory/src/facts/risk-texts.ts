import type { FlagTexts, RiskFlag } from './risk-flags.ts';
import { EXPOSURE_TEXTS } from './risk-texts-exposure.ts';
import { THREAT_TEXTS } from './risk-texts-threat.ts';

export const RISK_TEXTS: Readonly<Record<RiskFlag, FlagTexts>> = { ...THREAT_TEXTS, ...EXPOSURE_TEXTS };
