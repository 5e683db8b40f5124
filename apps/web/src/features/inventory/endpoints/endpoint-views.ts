import type { SavedView } from '../views/saved-views.ts';
import { texts } from './texts.ts';

const text = texts.views;

export const ENDPOINT_VIEWS: readonly SavedView[] = [
  { name: text.failing, search: { sort: '-error_rate' } },
  { name: text.risky, search: { sort: '-active_risk_score', min_active_risk_score: '10' } },
  { name: text.anonymous, search: { auth_posture: ['anonymous', 'inconsistent', 'mixed'] } },
  {
    name: text.sensitive,
    search: { pii_category: ['email', 'phone', 'ssn', 'credit_card', 'iban', 'jwt_in_path', 'secret_in_path'] },
  },
  { name: text.admin, search: { endpoint_category: ['admin_endpoint', 'data_export'] } },
];
