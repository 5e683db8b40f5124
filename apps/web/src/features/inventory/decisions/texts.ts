export const texts = {
  title: 'Decisions of the filter',
  chart: 'Requests in each step, by the decision of the filter',
  what: 'The decisions',
  lines: { allow: 'allowed', detect: 'detected', block: 'blocked', '': 'no decision' },
  none: 'No request matches in this time range.',
  findings: 'Findings of the filter',
  detected: 'Detected requests',
  blocked: 'Blocked requests',
  hint: 'Detected requests were served although a rule of a policy in detect mode objected. "No decision": the filter has not objected, or the service has none.',
};
