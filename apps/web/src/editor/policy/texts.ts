export const texts = {
  withDefault: (hint: string, value: string) => `${hint}. Default: ${value}`,
  policySource: {
    newPolicy: 'new policy',
    newPolicyDetail: 'a whole document',
    newDomain: 'new domain',
    newDomainDetail: 'hosts with one route',
    newRoute: 'new route',
    newRouteDetail: 'a path prefix with its policy',
    newApiKey: 'new api_key',
    newApiKeyDetail: 'engine: API keys as SHA-256',
    newRateLimit: 'new rate_limit',
    newRateLimitDetail: 'engine: requests per second and client',
    newJwt: 'new jwt',
    newJwtDetail: 'engine: signed tokens',
    newGraphql: 'new graphql',
    newGraphqlDetail: 'engine: query limits; requires inspect_request_body',
  },
};
