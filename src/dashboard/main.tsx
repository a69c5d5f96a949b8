/** Entry point of the dashboard's page. */

import { MantineProvider } from '@mantine/core'
import { createRoot } from 'react-dom/client'

const root = document.getElementById('dashboard')
if (root !== null) createRoot(root).render(<MantineProvider>Pet Store</MantineProvider>)
