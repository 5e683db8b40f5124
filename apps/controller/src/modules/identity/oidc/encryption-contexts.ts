/** A sign-in at a provider, in the cookie of the browser that started it. */
export const signInFlowContext = () => 'sign-in-flow';

/** The refresh token with which the controller asks a provider about a user. */
export const providerGrantContext = (userId: string) => `provider_grants/${userId}`;
