export const oneTimeSecretContext = (userId: string) => `otp/${userId}`;
