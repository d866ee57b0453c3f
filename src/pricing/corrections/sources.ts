/** Price lists that quote the providers' pages, compared entry by entry. */
export const litellmPrices = 'https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json';
export const modelsDev = 'https://github.com/anomalyco/models.dev/tree/dev/providers';
