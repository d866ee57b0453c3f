import { createContext, useContext } from 'react';
import type { Close } from '../api/types.ts';

export const AsOfContext = createContext<Close | undefined>(undefined);

/** The close as of which the page shows its figures; undefined for those of now. */
export const useAsOf = (): Close | undefined => useContext(AsOfContext);
