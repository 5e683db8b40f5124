export { EndpointFindings } from './endpoint-findings.tsx';
