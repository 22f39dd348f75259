void demo5_why(void *r);
void demo5_why(void *r) { (void)r; }
