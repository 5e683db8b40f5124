import { fleet } from '@flotilla/proto';
import type { Complaint } from '../config-errors/index.ts';
import { cleanText, listShieldProblems } from './report-model.ts';

interface Reported {
  readonly service: string;
  readonly phase: string | null;
  readonly report: fleet.NodeReport;
}

/** Problems of the service and its admin port that the agent reports. */
export function listNodeComplaints({ service, phase, report }: Reported): Complaint[] {
  const error = cleanText(report.error);
  const adminError = cleanText(report.adminError);
  const about = { resourceType: 'service', resourceName: service };
  return [
    ...(error
      ? [
          {
            ...about,
            code: 'node.failed' as const,
            severity: phase === 'failed' ? ('critical' as const) : ('error' as const),
            message: `Service "${service}" does not run there as configured: ${error}`,
            rawMessage: error,
          },
        ]
      : []),
    ...(adminError
      ? [
          {
            ...about,
            code: 'admin_port.taken' as const,
            severity: 'error' as const,
            message: `The admin port of service "${service}" does not lead to its Envoy there: ${adminError}`,
            rawMessage: adminError,
          },
        ]
      : []),
  ];
}

/** The filter refused its policies. */
export function listPolicyComplaints({ service, report }: Reported): Complaint[] {
  const error = cleanText(report.policyError);
  if (!error) return [];
  const remainder = report.policyDigest ? '; the ones before stay live' : '';
  return [
    {
      code: 'policy.refused',
      resourceType: 'policy',
      resourceName: service,
      severity: report.policyDigest ? 'error' : 'critical',
      message: `The filter refused the policies of service "${service}"${remainder}: ${error}`,
      rawMessage: error,
    },
  ];
}

/** The filter runs, but its environment prevents it from working. */
export function listFilterComplaints({ service, report }: Reported): Complaint[] {
  const isFailing = report.shieldHealth?.selfTest === fleet.SelfTest.FAILING;
  const isUnsure = report.shieldHealth?.selfTest === fleet.SelfTest.UNKNOWN;
  return listShieldProblems(report).map((problem) => ({
    code: 'filter.wiring',
    resourceType: 'filter',
    resourceName: service,
    severity: isFailing ? 'critical' : 'error',
    message: isUnsure
      ? `The filter of service "${service}" does not know whether it can guard it: ${problem}`
      : `The filter of service "${service}" cannot guard it as its policies say: ${problem}`,
    rawMessage: problem,
  }));
}
