export { type ElasticsearchOutput, type GivenShipperConfig, shipperConfigSchema } from './shipper.ts';
export { forwardingHostSchema, forwardingTlsSchema } from './tls.ts';
