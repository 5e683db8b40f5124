export { type AddressGuard, createAddressGuard, RefusedAddress, requireLiteral } from './address.ts';
export { type OutboundAnswer, type OutboundRequest, sendRequest } from './request.ts';
